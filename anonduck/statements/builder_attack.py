"""Statements of the attacks whose shape depends on the number of attributes that are attacked.

Attribute 1 is ``a_1`` in grouped tables (its value as text), ``l_1`` where its values are placed (the number of the
released label, or a list of numbers where a value may stand behind several) and ``n_1`` (the value's position on its
line).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonduck.statements.builder_grouped import created
from anonduck.statements.expressions import created_view, named_table
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

NEAR = 1e-6  # of the span: a value outside an interval is never at distance 0 of it, not even at its open end


@dataclass(frozen=True)
class AttackedColumn:
    """A released column in an attack.

    ``span`` is the length of its line in the original, None for a column of names. ``several``: a value may stand
    behind more than one label. ``kept``: not a quasi-identifier, so that the attacker learns it.
    """

    number: int
    name: str
    span: float | None = None
    several: bool = False
    kept: bool = False


def placed(table: str, source: str, attributes: Sequence[AttackedColumn], beside: Sequence[str] = ()) -> Statement:
    """``table``: the records of the grouped table ``source`` by the labels and positions of their values, and by its
    columns ``beside``.
    """
    select = exp.select(*(f"s.{name}" for name in beside)).from_(exp.alias_(exp.to_table(source), "s", table=True))
    for one in attributes:
        labels = f"c{one.number}.labels" if one.several else f"c{one.number}.labels[1]"
        select = select.select(
            f"{labels} AS l_{one.number}", f"c{one.number}.position AS n_{one.number}", dialect=DIALECT
        ).join(
            f"covering AS c{one.number}",
            on=f"c{one.number}.attribute = {one.number} AND c{one.number}.value IS NOT DISTINCT FROM s.a_{one.number}",
            join_type="left",
            dialect=DIALECT,
        )
    return created(table, _rolled(select))


def released_rows(attributes: Sequence[AttackedColumn]) -> Statement:
    """``released_rows``: class, a number; the label and the ends of each attribute; records."""
    select = exp.select().from_("attacked_release AS s", dialect=DIALECT)
    for one in attributes:
        number = one.number
        select = select.select(
            f"b{number}.label AS l_{number}",
            f"b{number}.lower AS lower_{number}",
            f"b{number}.upper AS upper_{number}",
            dialect=DIALECT,
        )
        select = with_label(select, number)
    order = ", ".join(f"l_{one.number}" for one in attributes)
    numbered = exp.select(f"row_number() OVER (ORDER BY {order}) AS class", "rolled.*", dialect=DIALECT)
    return created("released_rows", numbered.from_(_rolled(select).subquery("rolled")))


def linked(
    attributes: Sequence[AttackedColumn], first: Sequence[AttackedColumn], second: Sequence[AttackedColumn]
) -> Statement:
    """``linked``: per target the rows that are nearest by the first columns, by the second, by both, and its own of
    those.

    Gower's distance (1971): the mean over columns of 0 where the label covers the value, else of the distance from the
    value to the interval by the column's span, at most 1, or of 1 for names. Own rows agree in all ``attributes``.
    """
    distances = _pairs(
        "t.target",
        f"{_gower(first)} AS first",
        f"{_gower(second)} AS second",
        f"{all_covered(attributes)} AS own",
        "c.records",
    )
    both = "d.first = n.first AND d.second = n.second"
    nearest = exp.select("target", "min(first) AS first", "min(second) AS second").from_("distances").group_by("target")
    select = (
        exp.select(
            "d.target",
            "sum(d.records) FILTER (WHERE d.first = n.first)::BIGINT AS first_rows",
            "sum(d.records) FILTER (WHERE d.second = n.second)::BIGINT AS second_rows",
            f"coalesce(sum(d.records) FILTER (WHERE {both}), 0)::BIGINT AS common_rows",
            f"coalesce(sum(d.records) FILTER (WHERE {both} AND d.own), 0)::BIGINT AS own_rows",
            dialect=DIALECT,
        )
        .from_("distances AS d", dialect=DIALECT)
        .join("nearest AS n", on="n.target = d.target", dialect=DIALECT)
        .group_by("d.target")
        .with_("distances", as_=distances, materialized=False)
        .with_("nearest", as_=nearest)
    )
    return created("linked", select)


def compared(attributes: Sequence[AttackedColumn], known: Sequence[AttackedColumn]) -> Statement:
    """``compared``: per target and pattern of agreement in the ``known`` columns (a bit each), its rows and own
    rows.
    """
    bits = [f"CASE WHEN {_covered(one)} THEN {1 << place} ELSE 0 END" for place, one in enumerate(known)]
    pairs = _pairs(
        "t.target", f"({' + '.join(bits)})::BIGINT AS pattern", f"{all_covered(attributes)} AS own", "c.records"
    )
    select = (
        exp.select(
            "target",
            "pattern",
            "sum(records)::BIGINT AS records",
            "coalesce(sum(records) FILTER (WHERE own), 0)::BIGINT AS own_rows",
            dialect=DIALECT,
        )
        .from_(pairs.subquery("pairs"))
        .group_by("target", "pattern")
    )
    return created("compared", select)


def random_predicates(labels: Mapping[int, int]) -> Statement:
    """``predicates``: $limit combinations, each label drawn on its own; ``labels`` counts those of each attribute."""
    drawn = [
        f"(1 + hash(drawn.class, {number}, $seed::BIGINT) % {count})::INTEGER AS l_{number}"
        for number, count in labels.items()
    ]
    select = exp.select("drawn.class", *drawn, dialect=DIALECT).from_(
        "range($limit::BIGINT) AS drawn(class)", dialect=DIALECT
    )
    return created("predicates", select, frozenset({"seed", "limit"}))


def isolated(attributes: Sequence[AttackedColumn], pool: str) -> Statement:
    """One row: how many predicates there are, and how many hold for exactly one record of the placed table ``pool``."""
    on = " AND ".join(_covered(one, target="o", row="p", plain=True) for one in attributes)
    held = (
        exp.select("p.class", "coalesce(sum(o.records), 0) AS held", dialect=DIALECT)
        .from_("predicates AS p", dialect=DIALECT)
        .join(f"{pool} AS o", on=on, join_type="left", dialect=DIALECT)
        .group_by("p.class")
    )
    select = exp.select("count(*) AS attacked", "count(*) FILTER (WHERE held = 1) AS isolated", dialect=DIALECT)
    return Statement("builder_attack.isolated", select.from_(held.subquery("held")).sql(DIALECT, pretty=True))


def labels_of_rows(attributes: Sequence[AttackedColumn]) -> Statement:
    """The label numbers of each released row, and its records."""
    columns = [f"s.l_{one.number}" for one in attributes]
    select = exp.select(*columns, "s.records").from_("released_rows AS s", dialect=DIALECT).order_by("s.class")
    return Statement("builder_attack.labels_of_rows", select.sql(DIALECT, pretty=True))


def labels_of_targets(attributes: Sequence[AttackedColumn]) -> Statement:
    """The label numbers (of several the one of fewest records; 0 for none) and the positions of each target."""
    labels = [f"coalesce(s.l_{one.number}{'[1]' if one.several else ''}, 0) AS l_{one.number}" for one in attributes]
    places = [f"s.n_{one.number}" for one in attributes]
    select = exp.select(*labels, *places, dialect=DIALECT).from_("targets AS s", dialect=DIALECT).order_by("s.target")
    return Statement("builder_attack.labels_of_targets", select.sql(DIALECT, pretty=True))


def class_counts(known: Sequence[AttackedColumn], about: AttackedColumn) -> Statement:
    """Per label of ``about``: how many classes of the ``known`` columns have so many records and so many holders."""
    columns = [f"s.l_{one.number}" for one in known]
    held = exp.select(
        f"s.l_{about.number} AS label",
        "sum(s.records)::BIGINT AS holders",
        f"sum(sum(s.records)) OVER (PARTITION BY {', '.join(columns)})::BIGINT AS records",
        dialect=DIALECT,
    )
    held = held.from_("released_rows AS s", dialect=DIALECT).group_by(*columns, f"s.l_{about.number}", dialect=DIALECT)
    select = exp.select("label", "records", "holders", "count(*) AS classes", dialect=DIALECT)
    select = select.from_(held.subquery("held")).group_by("label", "records", "holders")
    ordered = select.order_by("label", "records", "holders")
    return Statement("builder_attack.class_counts", ordered.sql(DIALECT, pretty=True))


def attached_view(alias: str, table: str) -> Statement:
    """The temp view ``attacked_taxonomy`` over a table of the schema ``taxonomy`` in an attached database."""
    rows = exp.select("*").from_(named_table([alias, "taxonomy", table]))
    return created_view("builder_attack.attached_view", "attacked_taxonomy", rows)


# -- parts -------------------------------------------------------------------------------------------------------------


def _pairs(*columns: str) -> exp.Select:
    select = exp.select(*columns, dialect=DIALECT).from_("targets AS t", dialect=DIALECT)
    return select.join("released_rows AS c", join_type="cross", dialect=DIALECT)


def _covered(one: AttackedColumn, target: str = "t", row: str = "c", *, plain: bool = False) -> str:
    """Whether the label of a row covers the value of a target; ``plain`` may be NULL for a value that no label
    covers.
    """
    if one.several:
        return f"list_contains({target}.l_{one.number}, {row}.l_{one.number})"
    equal = f"{target}.l_{one.number} = {row}.l_{one.number}"
    return equal if plain else f"coalesce({equal}, FALSE)"


def all_covered(attributes: Sequence[AttackedColumn], *, plain: bool = False) -> str:
    """Whether a row ``c`` agrees with a target ``t`` in all attributes; ``plain`` may be NULL, and joins by hashes."""
    return "(" + " AND ".join(_covered(one, plain=plain) for one in attributes) + ")"


def _gower(attributes: Sequence[AttackedColumn]) -> str:
    return "(" + " + ".join(_distance(one) for one in attributes) + f") / {len(attributes)}"


def _distance(one: AttackedColumn) -> str:
    number = one.number
    if not one.span:
        return f"CASE WHEN {_covered(one)} THEN 0.0::DOUBLE ELSE 1.0::DOUBLE END"
    off = [f"(c.lower_{number} - t.n_{number}) / {one.span!r}", f"(t.n_{number} - c.upper_{number}) / {one.span!r}"]
    return (
        f"CASE WHEN {_covered(one)} THEN 0.0::DOUBLE "
        f"WHEN t.n_{number} IS NULL OR c.lower_{number} IS NULL THEN 1.0::DOUBLE "
        f"ELSE least(greatest({off[0]}, {off[1]}, {NEAR!r}), 1.0::DOUBLE) END"
    )


def with_label(select: exp.Select, number: int) -> exp.Select:
    """The select with ``b1``, the row of ``labels`` for the text that ``s`` has in attribute 1."""
    on = f"b{number}.attribute = {number} AND b{number}.text IS NOT DISTINCT FROM s.a_{number}"
    return select.join(f"labels AS b{number}", on=on, dialect=DIALECT)


def numbered_values(known: Sequence[AttackedColumn], source: str) -> exp.Select:
    """The numbers of the values, ``v_1``, that each record of ``source``, ``s``, has in the ``known`` columns."""
    select = exp.select(*(f"v{one.number}.number AS v_{one.number}" for one in known), dialect=DIALECT)
    select = select.from_(exp.to_table(source).as_("s", table=True))
    for one in known:
        same = f"v{one.number}.value IS NOT DISTINCT FROM s.a_{one.number}"
        on = f"v{one.number}.attribute = {one.number} AND {same}"
        select = select.join(f"numbered_values AS v{one.number}", on=on, dialect=DIALECT)
    return select


def _rolled(select: exp.Select) -> exp.Select:
    summed = select.select("sum(s.records)::BIGINT AS records", dialect=DIALECT)
    summed.set("group", exp.Group(all=True))
    return summed
