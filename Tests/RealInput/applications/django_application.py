"""Django's ORM and migrations: a small library application, then a migration that rebuilds tables, renames and adds."""
import datetime
import decimal
import os
import sys

import application

SETTINGS = """
import os
SECRET_KEY = "not secret"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["LIBRARY_DATABASE"]}}
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "library"]
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
"""

MODELS = """
from django.db import models

class Author(models.Model):
    name = models.CharField(max_length=80, db_index=True)
    email = models.EmailField(unique=True)
    born = models.DateField(null=True)

class Tag(models.Model):
    name = models.CharField(max_length=40, unique=True)

class Book(models.Model):
    title = models.CharField(max_length=120)
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="books")
    pages = models.IntegerField(default=0)
    price = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    weight = models.FloatField(null=True)
    printed = models.DateTimeField(null=True)
    details = models.JSONField(default=dict)
    cover = models.BinaryField(null=True)
    tags = models.ManyToManyField(Tag)

    class Meta:
        unique_together = [("title", "author")]
"""

NEW_MODELS = MODELS.replace(
    "title = models.CharField(max_length=120)", "title = models.CharField(max_length=300, db_index=True)").replace(
    "pages = models.IntegerField(default=0)", "pages = models.BigIntegerField(null=True)").replace(
    "name = models.CharField(max_length=40, unique=True)", "label = models.CharField(max_length=40, unique=True)").replace(
    "born = models.DateField(null=True)", "born = models.DateField(null=True)\n    nickname = models.CharField(max_length=20, null=True)") + """

class Review(models.Model):
    book = models.ForeignKey(Book, on_delete=models.CASCADE)
    stars = models.SmallIntegerField()
"""

# As makemigrations writes it, with the data step that a person adds.
SECOND_MIGRATION = """
from django.db import migrations, models
import django.db.models.deletion

def fill(apps, schema_editor):
    Book, Review = apps.get_model("library", "Book"), apps.get_model("library", "Review")
    Review.objects.bulk_create(Review(book=book, stars=book.pk % 5) for book in Book.objects.all()[:50])
    Book.objects.filter(pk__lt=20).update(pages=None)

class Migration(migrations.Migration):
    dependencies = [("library", "0001_initial")]
    operations = [
        migrations.AlterField("book", "title", models.CharField(max_length=300, db_index=True)),
        migrations.AlterField("book", "pages", models.BigIntegerField(null=True)),
        migrations.RenameField("tag", "name", "label"),
        migrations.AddField("author", "nickname", models.CharField(max_length=20, null=True)),
        migrations.CreateModel("Review", [
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("stars", models.SmallIntegerField()),
            ("book", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="library.book")),
        ]),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
"""


def project(path):
    return os.path.join(os.path.dirname(os.path.abspath(path)), "project")


def write(path, name, content):
    file = os.path.join(project(path), name)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, "w") as out:
        out.write(content)


def ready(path):
    os.environ["LIBRARY_DATABASE"] = path
    os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
    step = sys.argv[1]
    if step == "prepare":
        write(path, "settings.py", SETTINGS)
        write(path, "library/__init__.py", "")
        write(path, "library/models.py", MODELS)
    if step == "change":
        write(path, "library/models.py", NEW_MODELS)
        write(path, "library/migrations/0002_more.py", SECOND_MIGRATION)
    sys.path.insert(0, project(path))
    sys.dont_write_bytecode = True
    import django

    django.setup()


def book(models, i, author):
    return models.Book(
        title=f"Book {i}", author=author, pages=i * 3, price=decimal.Decimal(i) / 8, weight=i / 7,
        printed=datetime.datetime(2021, 3, 1 + i % 28, 12, 0, 0, i, tzinfo=datetime.timezone.utc),
        details={"n": i, "ö": [None, i / 3]}, cover=bytes(range(i % 30)))


def prepare(path):
    from django.core.management import call_command

    call_command("makemigrations", "library", verbosity=0)
    call_command("migrate", verbosity=0)
    from library import models

    authors = models.Author.objects.bulk_create(models.Author(name=f"Author {i}", email=f"a{i}@example.org") for i in range(40))
    models.Tag.objects.bulk_create(models.Tag(name=f"tag{i}") for i in range(10))
    models.Book.objects.bulk_create(book(models, i, authors[i % 40]) for i in range(200))


def work(path):
    from django.contrib.auth.models import Group, Permission
    from django.db import IntegrityError, transaction
    from django.db.models import F
    from library import models

    author, tags = models.Author.objects.get(pk=1), list(models.Tag.objects.order_by("pk"))
    models.Book.objects.bulk_create([book(models, i, author) for i in range(1000, 2500)], batch_size=500)
    models.Book.objects.filter(pk__lte=300).update(pages=F("pages") + 1)
    for found in models.Book.objects.filter(pk__lte=30):
        found.weight = None
        found.save()
        found.tags.set(tags[found.pk % 5: found.pk % 5 + 3])
    with transaction.atomic():
        for i in range(100):
            models.Author.objects.get_or_create(email=f"a{i}@example.org", defaults={"name": f"Late {i}", "born": datetime.date(1990, 1, 1)})
            models.Author.objects.update_or_create(email=f"a{i}@example.org", defaults={"name": f"Late {i}"})
        for i in range(20):
            try:
                with transaction.atomic():
                    models.Tag.objects.create(name=f"new{i}")
                    models.Tag.objects.create(name=f"tag{i % 10}")
            except IntegrityError:
                pass
    models.Tag.objects.bulk_create([models.Tag(name=f"tag{i}") for i in range(30)], ignore_conflicts=True)
    models.Author.objects.bulk_create(
        [models.Author(name=f"Upserted {i}", email=f"a{i}@example.org") for i in range(20, 140)],
        update_conflicts=True, unique_fields=["email"], update_fields=["name"])
    books = list(models.Book.objects.filter(title__startswith="Book 11"))
    for found in books:
        found.price = None
    models.Book.objects.bulk_update(books, ["price"])
    models.Author.objects.filter(pk__in=[3, 4, 5]).delete()
    group = Group.objects.create(name="editors")
    group.permissions.set(Permission.objects.all())
    group.permissions.clear()
    assert models.Tag.objects.count() == 30 and models.Author.objects.count() == 137, (models.Tag.objects.count(), models.Author.objects.count())


def change(path):
    from django.core.management import call_command

    call_command("makemigrations", "library", check=True, dry_run=True, verbosity=0)
    call_command("migrate", verbosity=0)


def work_again(path):
    from library import models

    for found in models.Book.objects.filter(pk__lte=40):
        found.pages = found.pk * 10 ** 12
        found.save()
        models.Review.objects.create(book=found, stars=-1)
    models.Tag.objects.filter(pk=4).update(label="renamed")
    models.Author.objects.filter(pk__lt=20).update(nickname="nick")
    models.Book.objects.filter(pk__in=[50, 51]).delete()


if __name__ == "__main__":
    application.main(globals())
