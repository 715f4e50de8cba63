"""Statements about a register of people with a key: what is known of them, and which released rows are theirs.

Attribute 1 is ``a_1`` where it is read (its value as text), ``v_1`` where its values are numbered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.builder_attack import AttackedColumn, all_covered, numbered_values
from anonduck.statements.builder_grouped import created
from anonduck.statements.expressions import quoted
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp


def register_people(key: str, columns: Mapping[int, str]) -> Statement:
    """``register_people``: each record of ``release``, in an order that $seed draws: person, a number from 1; key; and
    ``columns``, by the number of their attribute, as text.
    """
    read = exp.select(exp.alias_(_text(key), "key"), *_texts(columns)).from_("release")
    select = exp.select(
        "row_number() OVER (ORDER BY hash(r.key, $seed::BIGINT), r.key) AS person", "r.*", dialect=DIALECT
    )
    return created("register_people", select.from_(read.subquery("r")), frozenset({"seed"}))


def keyed_people(key: str) -> Statement:
    """One number: how many of ``register_people`` have a record in ``release``."""
    same = exp.EQ(this=exp.column("key", "p"), expression=_text(key))
    held = exp.Exists(this=exp.select("1").from_("release").where(same))
    select = exp.select("count(*) AS people", dialect=DIALECT).from_("register_people AS p", dialect=DIALECT)
    return Statement("builder_register.keyed_people", select.where(held).sql(DIALECT, pretty=True))


def keyed_records(table: str, key: str, columns: Mapping[int, str]) -> Statement:
    """``table``: the records in ``release`` of the first $limit of ``register_people``: person, record, a number; the
    columns as text; records, 1.
    """
    select = exp.select("p.person", "row_number() OVER () AS record", *_texts(columns), "1 AS records", dialect=DIALECT)
    select = select.from_("release").join(
        exp.to_table("register_people").as_("p", table=True),
        on=exp.EQ(this=exp.column("key", "p"), expression=_text(key)),
    )
    return created(table, select.where("p.person <= $limit", dialect=DIALECT), frozenset({"limit"}))


def grouped_register(table: str, numbers: Sequence[int]) -> Statement:
    """``table``: each distinct combination of what is known of ``register_people``, with its number of people."""
    select = exp.select(*(f"a_{number}" for number in numbers), "count(*) AS records", dialect=DIALECT)
    select.set("group", exp.Group(all=True))
    return created(table, select.from_("register_people"))


def numbered_people(known: Sequence[AttackedColumn]) -> Statement:
    """What is known of the first $limit of ``register_people``, as the numbers of values, in order."""
    select = (
        numbered_values(known, "register_people")
        .where("s.person <= $limit", dialect=DIALECT)
        .order_by("s.person", dialect=DIALECT)
    )
    return Statement("builder_register.numbered_people", select.sql(DIALECT, pretty=True), frozenset({"limit"}))


def own_rows(attributes: Sequence[AttackedColumn]) -> Statement:
    """Each pair of a record in ``placed_people`` and a row of ``released_rows`` that agrees with it in all
    ``attributes``: person, record, class, and its records.
    """
    select = exp.select("t.person", "t.record", "c.class", "c.records", dialect=DIALECT)
    select = select.from_("placed_people AS t", dialect=DIALECT)
    select = select.join("released_rows AS c", on=all_covered(attributes, plain=True), dialect=DIALECT)
    return Statement("builder_register.own_rows", select.order_by("t.person", "c.class").sql(DIALECT, pretty=True))


def people_of(table: str) -> Statement:
    """The person of each record of ``table``."""
    select = exp.select("t.person").distinct().from_(exp.to_table(table).as_("t", table=True)).order_by("t.person")
    return Statement("builder_register.people_of", select.sql(DIALECT, pretty=True))


def held_labels(table: str, about: AttackedColumn) -> Statement:
    """The number of the label that each record of ``table`` has in a kept column, 0 for none: person, label."""
    number = about.number
    select = exp.select("t.person", "coalesce(b.label, 0) AS label", dialect=DIALECT)
    select = select.from_(exp.to_table(table).as_("t", table=True))
    on = f"b.attribute = {number} AND b.text IS NOT DISTINCT FROM t.a_{number}"
    select = select.join("labels AS b", on=on, join_type="left", dialect=DIALECT).order_by("t.person", "label")
    return Statement("builder_register.held_labels", select.sql(DIALECT, pretty=True))


def _text(name: str) -> exp.Expr:
    return exp.cast(quoted(name, "release"), "VARCHAR")


def _texts(columns: Mapping[int, str]) -> list[exp.Expr]:
    return [exp.alias_(_text(name), f"a_{number}") for number, name in columns.items()]
