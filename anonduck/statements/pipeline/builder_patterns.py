"""Statements of the pair join: bit fields per attribute and level, or plain comparisons as their reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anonduck.statements.expressions import created_table, created_view, quoted
from anonduck.statements.pipeline.column_names import CLASS, RECORDS, code_column
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

WORD_BITS = 62
CLASS_FIELD = ""  # stands for the class where attributes are named: no column has an empty name
DIFFERS = "#class_differs"
PAIRS = "#pairs"
MISSED = "#missed"
JOINED = "joined_records"


def distance_column(name: str) -> str:
    """The name of an attribute's distances in the histogram."""
    return f"{name}@distance"


@dataclass(frozen=True)
class CodeField:
    """Where the code of one attribute and level lies: ``bits`` bits of ``word`` below the flag bit at ``flag``."""

    attribute: str
    level: int
    word: int
    flag: int
    bits: int

    @property
    def shift(self) -> int:
        """The lowest bit of the code."""
        return self.flag - self.bits


@dataclass(frozen=True)
class WordLayout:
    """Fields packed into words; words whose flags lie on different bits share a key: ``keys[i]`` lists its words."""

    fields: tuple[CodeField, ...]
    keys: tuple[tuple[int, ...], ...]

    @property
    def words(self) -> int:
        """How many 64-bit words a record takes."""
        return sum(len(words) for words in self.keys)

    def key_of(self, word: int) -> int:
        """The key that holds the flags of a word."""
        return next(i for i, words in enumerate(self.keys) if word in words)

    def fields_of(self, word: int) -> list[CodeField]:
        """The fields of one word."""
        return [field for field in self.fields if field.word == word]

    def field_of(self, attribute: str, level: int) -> CodeField:
        """The field of an attribute's level."""
        return next(f for f in self.fields if f.attribute == attribute and f.level == level)

    def ones_of(self, word: int) -> int:
        """A word whose codes are all ones: added to another, it carries into the flags of the codes that are not 0."""
        return sum(((1 << field.bits) - 1) << field.shift for field in self.fields_of(word))

    def flags_of(self, word: int) -> int:
        """A word with just its flags set."""
        return sum(1 << field.flag for field in self.fields_of(word))


def pack(largest_codes: Mapping[tuple[str, int], int]) -> WordLayout:
    """Place a bit field and its flag for each (attribute, level), given the largest code of each.

    At most 62 bits of a word are used. Flags of words that share a key never lie on the same bit, so that the key of a
    pair is the OR of its words' flags: one 64-bit group key instead of one a word.
    """
    widths = {place: max(1, code.bit_length()) for place, code in largest_codes.items()}
    occupied: list[int] = []
    keys: list[list[int]] = []
    flags: list[set[int]] = []
    fields: list[CodeField] = []
    for (attribute, level), bits in sorted(widths.items(), key=lambda item: (-item[1], item[0])):
        spot = _free_spot(occupied, keys, flags, bits) or _new_word(occupied, keys, flags, bits)
        word, flag = spot
        occupied[word] |= _mask(flag, bits)
        flags[next(i for i, words in enumerate(keys) if word in words)].add(flag)
        fields.append(CodeField(attribute, level, word, flag, bits))
    return WordLayout(tuple(fields), tuple(tuple(words) for words in keys))


def _mask(flag: int, bits: int) -> int:
    return ((1 << (bits + 1)) - 1) << (flag - bits)


def _free_spot(occupied: list[int], keys: list[list[int]], flags: list[set[int]], bits: int) -> tuple[int, int] | None:
    for key, words in enumerate(keys):
        for word in words:
            for flag in range(bits, WORD_BITS):
                if flag not in flags[key] and not occupied[word] & _mask(flag, bits):
                    return word, flag
    return None


def _new_word(occupied: list[int], keys: list[list[int]], flags: list[set[int]], bits: int) -> tuple[int, int]:
    occupied.append(0)
    word = len(occupied) - 1
    for key, words in enumerate(keys):
        free = [flag for flag in range(bits, WORD_BITS) if flag not in flags[key]]
        if free:
            words.append(word)
            return word, free[0]
    keys.append([word])
    flags.append(set())
    return word, bits


def largest_values(table: str, columns: Sequence[str]) -> Statement:
    """One row: the largest value of each column of a table."""
    return Statement(
        "builder_patterns.largest_values",
        exp.select(*[exp.Max(this=quoted(name)) for name in columns]).from_(table).sql(DIALECT),
    )


def packed_records(layout: WordLayout, source: str) -> Statement:
    """``packed_records``: id, one column a word, and the number of records n, for each joined row.

    Rows stand in the order of their cells, where neighbours have the same patterns with most other rows: grouping the
    pairs of a block takes up to a third less time than in the order of their ids.
    """
    words = []
    for word in range(layout.words):
        parts = [_shifted(field) for field in layout.fields_of(word)]
        words.append(exp.alias_(_ored(parts), f"w{word}"))
    number = exp.alias_(exp.Cast(this=quoted("#id"), to=exp.DataType.build("INTEGER")), "id")
    select = exp.select(number, *words, exp.alias_(quoted(RECORDS), "n")).from_(source).order_by(quoted("#cell"))
    return _create("packed_records", select, "builder_patterns.packed_records")


def block_histogram(layout: WordLayout, *, weighted: bool) -> Statement:
    """Append the keys of all pairs whose first record is in the block ``$first`` .. ``$last`` to ``pattern_blocks``,
    without saying how many pairs they may miss."""
    keys = [exp.alias_(_key(layout, key), f"key_{key}") for key in range(len(layout.keys))]
    count: exp.Expr = exp.Count(this=exp.Star())
    if weighted:
        product = exp.Mul(this=exp.column("n", table="x"), expression=exp.column("n", table="y"))
        count = exp.Cast(this=exp.Sum(this=product), to=exp.DataType.build("BIGINT"))
    unknown = exp.Cast(this=exp.Null(), to=exp.DataType.build("BIGINT"))
    select = exp.select(*keys, exp.alias_(count, "pairs"), exp.alias_(unknown, "missed"))
    grouped = exp.Group(all=True)
    block = "SELECT * FROM packed_records WHERE id BETWEEN $first AND $last"
    rest = "SELECT * FROM packed_records WHERE id > $last"
    across = select.copy().from_(_subquery(block, "x")).join(_subquery(rest, "y"), join_type="cross")
    inside = (
        select.copy()
        .from_(_subquery(block, "x"))
        .join(
            _subquery(block, "y"), on=exp.LT(this=exp.column("id", table="x"), expression=exp.column("id", table="y"))
        )
    )
    across.set("group", grouped.copy())
    inside.set("group", grouped.copy())
    insert = exp.Insert(this=exp.to_table("pattern_blocks"), expression=exp.union(across, inside, distinct=False))
    return Statement("builder_patterns.block_histogram", insert.sql(DIALECT, pretty=True), frozenset({"first", "last"}))


def empty_blocks(layout: WordLayout) -> Statement:
    """The table that collects the histograms of the blocks."""
    names = [*(f"key_{i}" for i in range(len(layout.keys))), "pairs", "missed"]
    columns = [exp.ColumnDef(this=exp.to_identifier(name), kind=exp.DataType.build("BIGINT")) for name in names]
    schema = exp.Schema(this=exp.to_table("pattern_blocks"), expressions=columns)
    return _create("pattern_blocks", schema, "builder_patterns.empty_blocks")


def equal_pairs(layout: WordLayout) -> Statement:
    """Append ``$pairs`` pairs of records that are equal in all attributes and the class to ``pattern_blocks``."""
    keys = (exp.Literal.number(0) for _ in layout.keys)
    row = exp.Tuple(expressions=[*keys, exp.Placeholder(this="pairs"), exp.Null()])
    insert = exp.Insert(this=exp.to_table("pattern_blocks"), expression=exp.Values(expressions=[row]))
    return Statement("builder_patterns.equal_pairs", insert.sql(DIALECT), frozenset({"pairs"}))


def merged_blocks(layout: WordLayout) -> Statement:
    """``merged_blocks``: one row for each distinct key of ``pattern_blocks``; one that was not there before may miss
    ``$bound`` pairs."""
    keys = [exp.column(f"key_{i}") for i in range(len(layout.keys))]
    bigint = exp.DataType.build("BIGINT")
    total = exp.alias_(exp.Cast(this=exp.Sum(this=exp.column("pairs")), to=bigint), "pairs")
    known = exp.func("coalesce", exp.Max(this=exp.column("missed")), exp.Placeholder(this="bound"))
    missed = exp.alias_(exp.Cast(this=known, to=bigint.copy()), "missed")
    select = exp.select(*keys, total, missed).from_("pattern_blocks").group_by(*[key.copy() for key in keys])
    some = exp.GT(this=exp.Sum(this=exp.column("pairs")), expression=exp.Literal.number(0))
    created = _create("merged_blocks", select.having(some), "builder_patterns.merged_blocks")
    return replace(created, parameters=frozenset({"bound"}))


def decoded_patterns(layout: WordLayout, roots: Mapping[str, int]) -> Statement:
    """``distance_patterns``: per key of ``pattern_blocks`` with ``$least`` pairs or more, each attribute's distance,
    whether the class differs, the pairs, and how many of them may be missed."""
    distances = [_distance(layout, name, root) for name, root in roots.items()]
    differs = exp.alias_(
        exp.EQ(this=_flag_bit(layout, CLASS_FIELD, 0), expression=exp.Literal.number(1)), DIFFERS, quoted=True
    )
    select = (
        exp.select(
            *distances,
            differs,
            exp.alias_(exp.column("pairs"), PAIRS, quoted=True),
            exp.alias_(exp.column("missed"), MISSED, quoted=True),
        )
        .from_("pattern_blocks")
        .where(exp.GTE(this=exp.column("pairs"), expression=exp.Placeholder(this="least")))
    )
    created = _create("distance_patterns", select, "builder_patterns.decoded_patterns")
    return replace(created, parameters=frozenset({"least"}))


def pattern_totals(layout: WordLayout) -> Statement:
    """One row: patterns in ``pattern_blocks`` once it is merged, their pairs, and the pairs that differ in class."""
    differs = exp.EQ(this=_flag_bit(layout, CLASS_FIELD, 0), expression=exp.Literal.number(1))
    pairs = exp.func("coalesce", exp.Sum(this=exp.column("pairs")), exp.Literal.number(0))
    differing = exp.func(
        "coalesce",
        exp.Filter(this=exp.Sum(this=exp.column("pairs")), expression=exp.Where(this=differs)),
        exp.Literal.number(0),
    )
    bigint = exp.DataType.build("BIGINT")
    select = exp.select(
        exp.alias_(exp.Count(this=exp.Star()), "patterns"),
        exp.alias_(exp.Cast(this=pairs, to=bigint), "pairs"),
        exp.alias_(exp.Cast(this=differing, to=bigint.copy()), "class_differing_pairs"),
    ).from_("pattern_blocks")
    return Statement("builder_patterns.pattern_totals", select.sql(DIALECT, pretty=True))


def joined_records() -> Statement:
    """The view ``joined_records``: the rows whose pairs are joined, each with the number of its joined records."""
    return created_view("builder_patterns.joined_records", JOINED, _joined_records())


def _joined_records() -> exp.Select:
    coded: exp.Expr = exp.maybe_parse(f'coded_frequency_set.* EXCLUDE ("{RECORDS}")', dialect=DIALECT)
    return (
        exp.select(
            exp.alias_(exp.column("number", table="joined_cells"), "#id", quoted=True),
            coded,
            exp.alias_(exp.column("records", table="joined_cells"), RECORDS, quoted=True),
        )
        .from_("coded_frequency_set")
        .join("joined_cells", on=exp.EQ(this=quoted("#cell"), expression=exp.column("cell", table="joined_cells")))
    )


def counted_pairs(roots: Mapping[str, int]) -> Statement:
    """The rows of ``distance_patterns``, plainly: two rows stand for n1 * n2 pairs, one with itself for its own."""
    weight: exp.Expr = exp.maybe_parse(
        """CASE WHEN x."#id" = y."#id" THEN x."#records" * (x."#records" - 1) // 2
        ELSE x."#records" * y."#records" END""",
        dialect=DIALECT,
    )
    not_later = exp.LTE(this=quoted("#id", "x"), expression=quoted("#id", "y"))
    select = _pairwise(JOINED, roots, weight, not_later).with_(JOINED, as_=_joined_records())
    some = exp.GT(this=quoted(PAIRS), expression=exp.Literal.number(0))
    return Statement("builder_patterns.counted_pairs", select.having(some).sql(DIALECT, pretty=True))


def _pairwise(source: str, roots: Mapping[str, int], weight: exp.Expr, on: exp.Expr) -> exp.Select:
    """The patterns of the pairs of rows ``x`` and ``y``, each level's codes compared."""
    distances = []
    for name, root in roots.items():
        parts = [_differs(code_column(name, level)) for level in range(root)]
        distances.append(_as_distance(_added(parts), name))
    differs = exp.alias_(exp.NullSafeNEQ(this=quoted(CLASS, "x"), expression=quoted(CLASS, "y")), DIFFERS, quoted=True)
    total = exp.Cast(this=exp.Sum(this=weight), to=exp.DataType.build("BIGINT"))
    select = (
        exp.select(*distances, differs, exp.alias_(total, PAIRS, quoted=True))
        .from_(exp.alias_(exp.to_table(source), "x", table=True))
        .join(exp.alias_(exp.to_table(source), "y", table=True), on=on)
    )
    select.set("group", exp.Group(all=True))
    return select


def top_patterns(attributes: Sequence[str]) -> Statement:
    """The class-differing patterns that occur at least ``$threshold`` times, distances only."""
    select = (
        exp.select(*[quoted(distance_column(name)) for name in attributes])
        .from_("distance_patterns")
        .where(exp.and_(quoted(DIFFERS), exp.GTE(this=quoted(PAIRS), expression=exp.Placeholder(this="threshold"))))
    )
    return Statement("builder_patterns.top_patterns", select.sql(DIALECT), frozenset({"threshold"}))


# -- pieces ----------------------------------------------------------------------------------------------------------


def _shifted(field: CodeField) -> exp.Expr:
    name = CLASS if field.attribute == CLASS_FIELD else code_column(field.attribute, field.level)
    code = exp.Cast(this=quoted(name), to=exp.DataType.build("BIGINT"))
    return exp.Paren(this=exp.BitwiseLeftShift(this=code, expression=exp.Literal.number(field.shift)))


def _key(layout: WordLayout, key: int) -> exp.Expr:
    parts = []
    for word in layout.keys[key]:
        xor = exp.Anonymous(this="xor", expressions=[exp.column(f"w{word}", table=side) for side in ("x", "y")])
        added = exp.Paren(this=exp.Add(this=xor, expression=exp.Literal.number(layout.ones_of(word))))
        flags = exp.Literal.number(layout.flags_of(word))
        parts.append(exp.Paren(this=exp.BitwiseAnd(this=added, expression=flags)))
    return _ored(parts)


def _flag_bit(layout: WordLayout, attribute: str, level: int) -> exp.Expr:
    field = layout.field_of(attribute, level)
    key = exp.column(f"key_{layout.key_of(field.word)}")
    shifted = exp.Paren(this=exp.BitwiseRightShift(this=key, expression=exp.Literal.number(field.flag)))
    return exp.Paren(this=exp.BitwiseAnd(this=shifted, expression=exp.Literal.number(1)))


def _distance(layout: WordLayout, name: str, root: int) -> exp.Expr:
    total = _added([_flag_bit(layout, name, level) for level in range(root)])
    return _as_distance(exp.Paren(this=total), name)


def _as_distance(total: exp.Expr, name: str) -> exp.Expr:
    cast = exp.Cast(this=total, to=exp.DataType.build("UTINYINT", dialect=DIALECT))
    return exp.alias_(cast, distance_column(name), quoted=True)


def _added(parts: Sequence[exp.Expr]) -> exp.Expr:
    total = parts[0]
    for part in parts[1:]:
        total = exp.Add(this=total, expression=part)
    return exp.Paren(this=total)


def _ored(parts: Sequence[exp.Expr]) -> exp.Expr:
    total = parts[0]
    for part in parts[1:]:
        total = exp.BitwiseOr(this=total, expression=part)
    return total


def _subquery(sql: str, alias: str) -> exp.Expr:
    return exp.maybe_parse(sql, dialect=DIALECT).subquery(alias)


def _create(table: str, made_of: exp.Select | exp.Schema, name: str) -> Statement:
    """A working table, which the file of the decision database never holds."""
    if isinstance(made_of, exp.Schema):
        return created_table(name, made_of, None, temporary=True)
    return created_table(name, table, made_of, temporary=True)


def _differs(name: str) -> exp.Expr:
    unequal = exp.Paren(this=exp.NullSafeNEQ(this=quoted(name, "x"), expression=quoted(name, "y")))
    return exp.Cast(this=unequal, to=exp.DataType.build("INTEGER"))
