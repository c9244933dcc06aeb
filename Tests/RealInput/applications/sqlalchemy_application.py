"""SQLAlchemy's ORM: units of work, relationships with cascades, savepoints, bulk statements, upserts."""
import datetime
import decimal

import application
from sqlalchemy import Column, ForeignKey, LargeBinary, Numeric, String, Table, JSON, create_engine, delete, event, func, insert, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship


class Base(DeclarativeBase):
    pass


book_tag = Table(
    "book_tag", Base.metadata,
    Column("book_id", ForeignKey("book.id", ondelete="CASCADE"), primary_key=True),
    Column("tag_name", ForeignKey("tag.name"), primary_key=True))


class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    email: Mapped[str] = mapped_column(unique=True)
    books: Mapped[list["Book"]] = relationship(back_populates="author", cascade="all, delete-orphan")


class Book(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(index=True)
    price: Mapped[decimal.Decimal | None] = mapped_column(Numeric(10, 2, asdecimal=True))
    rating: Mapped[float | None]
    sold: Mapped[bool] = mapped_column(default=False)
    printed: Mapped[datetime.datetime | None]
    cover: Mapped[bytes | None] = mapped_column(LargeBinary)
    details: Mapped[dict | None] = mapped_column(JSON)
    author_id: Mapped[int] = mapped_column(ForeignKey("author.id", ondelete="CASCADE"), index=True)
    author: Mapped[Author] = relationship(back_populates="books")
    tags: Mapped[list["Tag"]] = relationship(secondary=book_tag)


class Tag(Base):
    __tablename__ = "tag"
    name: Mapped[str] = mapped_column(primary_key=True)


class Counter(Base):
    __tablename__ = "counter"
    kind: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[datetime.date] = mapped_column(primary_key=True)
    hits: Mapped[int]


class Audit(Base):
    __tablename__ = "audit"
    id: Mapped[int] = mapped_column(primary_key=True)
    line: Mapped[str]


def engine(path):
    made = create_engine(f"sqlite:///{path}")

    @event.listens_for(made, "connect")
    def foreign_keys(connection, _):
        connection.execute("PRAGMA foreign_keys = ON")

    return made


def book(i):
    return Book(
        title=f"Book {i}", price=decimal.Decimal(i) / 4, rating=i / 7, printed=datetime.datetime(2020, 1, 1 + i % 28, 3, 4, 5, 678),
        cover=bytes(range(i % 40)), details={"pages": i, "näme": ["a", None, i / 3]})


def prepare(path):
    made = engine(path)
    Base.metadata.create_all(made)
    with Session(made) as session:
        session.add_all(Tag(name=f"tag{i}") for i in range(8))
        session.add_all(Author(id=i, name=f"Author {i}", email=f"a{i}@example.org", books=[book(i * 10 + n) for n in range(4)]) for i in range(1, 60))
        session.add_all(Audit(line=f"line {i}") for i in range(20))
        session.commit()
    made.dispose()


def work(path):
    made = engine(path)
    with Session(made) as session:
        tags = list(session.scalars(select(Tag).order_by(Tag.name)))
        for i in range(100, 160):
            session.add(Author(id=i, name=f"Author {i}", email=f"a{i}@example.org", books=[book(i * 10 + n) for n in range(6)]))
        session.commit()
        for found in session.scalars(select(Book).where(Book.author_id < 40)):
            found.rating = None if found.id % 3 == 0 else found.id * 1.5
            found.tags = tags[found.id % 3: found.id % 3 + 2]
        session.commit()
        for author in session.scalars(select(Author).where(Author.id.between(10, 20))):
            author.books = author.books[1:]  # orphans are deleted
            author.name = author.name.upper()
            session.commit()
        for i in range(30):
            try:
                with session.begin_nested():
                    session.add(Author(name="twice", email=f"a{i + 1}@example.org"))
            except IntegrityError:
                pass
            session.add(Audit(line=f"tried {i}"))
        session.commit()
        session.execute(insert(Book), [
            {"title": f"Bulk {i}", "price": None, "rating": float("inf") if i == 7 else -0.0, "author_id": 1, "sold": i % 2 == 0} for i in range(2000)])
        session.execute(update(Book).where(Book.title.like("Bulk 1%")).values(sold=True, rating=Book.rating + 1))
        session.execute(delete(Book).where(Book.title.like("Bulk 2%")))
        session.commit()
        for day in (1, 2, 1, 1, 2):
            upsert = sqlite.insert(Counter).values([{"kind": f"k{k}", "day": datetime.date(2024, 5, day), "hits": 1} for k in range(50)])
            session.execute(upsert.on_conflict_do_update(index_elements=["kind", "day"], set_={"hits": Counter.hits + upsert.excluded.hits}))
            session.commit()
        session.add(Audit(line="never"))
        session.flush()
        session.rollback()
        session.delete(session.get(Author, 5))
        session.execute(delete(Author).where(Author.id == 6))  # the database cascades
        session.commit()
        assert session.scalar(select(func.sum(Counter.hits))) == 250
        assert session.scalar(select(func.count()).select_from(Author)) == 117
    made.dispose()


def change(path):
    made = engine(path)
    Audit.__table__.drop(made)
    Audit.__table__.create(made)
    with Session(made) as session:
        session.add_all(Audit(line=f"after {i}") for i in range(5))
        session.commit()
    made.dispose()


def work_again(path):
    made = engine(path)
    with Session(made) as session:
        for line in session.scalars(select(Audit)):
            line.line += "!"
        session.add_all(Audit(line=f"again {i}") for i in range(5))
        session.delete(session.get(Author, 30))
        session.commit()
    made.dispose()


if __name__ == "__main__":
    application.main(globals())
