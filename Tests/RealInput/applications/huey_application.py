"""huey's SQLite queue: tasks enqueued, run, retried, scheduled, revoked; then its own consumer with two workers."""
import datetime
import logging

import application
from huey import SqliteHuey
from huey.exceptions import TaskException

logging.disable(logging.CRITICAL)
queue = SqliteHuey("work", filename=":memory:")
attempts = {}


def ready(path):
    # The tasks are declared on a queue whose storage is then opened on the given file, as huey's own tests do.
    global queue, add, fail_first, greet
    queue = SqliteHuey("work", filename=path)

    @queue.task()
    def add(a, b):
        return a + b

    @queue.task(retries=2)
    def fail_first(i):
        attempts[i] = attempts.get(i, 0) + 1
        if attempts[i] < 3:
            raise ValueError("not yet")
        return i

    @queue.task(priority=5)
    def greet(name):
        return {"hello": name, "bytes": b"\0\1\2"}


def prepare(path):
    queue.put("first", 1)
    add(1, 2)
    queue.storage.close()


def run_all():
    while (task := queue.dequeue()) is not None:
        queue.execute(task)


def work(path):
    results = [add(i, i) for i in range(300)]
    retried = [fail_first(i) for i in range(40)]
    greetings = [greet(f"n{i}") for i in range(60)]
    for result in results[::10]:
        result.revoke()
    run_all()
    assert [r.get() for r in results[1:10]] == [2 * i for i in range(1, 10)]
    assert [r.get() for r in retried] == list(range(40))
    assert greetings[0].get()["hello"] == "n0"
    later = [add.schedule((i, 1), delay=3600) for i in range(50)]
    run_all()
    assert queue.scheduled_count() == 50, queue.scheduled_count()
    for task in queue.read_schedule(datetime.datetime.now() + datetime.timedelta(days=1)):
        queue.execute(task, datetime.datetime.now() + datetime.timedelta(days=1))
    with queue.lock_task("door"):
        queue.put("state", {"locked": True})
    assert later[3].get() == 4
    queue.storage.close()


def answer(result):
    """The result of a task, past the errors of attempts that are made again."""
    while True:
        try:
            return result.get(blocking=True, timeout=30)
        except TaskException:
            result.reset()


def more(path):
    results = [add(i, 1) for i in range(100)] + [fail_first(1000 + i) for i in range(10)]
    consumer = queue.create_consumer(workers=2, periodic=False, initial_delay=0.01, max_delay=0.05, check_worker_health=False)
    consumer.start()
    got = [answer(result) for result in results]
    consumer.stop(graceful=True)
    assert got == [i + 1 for i in range(100)] + [1000 + i for i in range(10)]
    queue.flush()
    queue.storage.close()


if __name__ == "__main__":
    application.main(globals())
