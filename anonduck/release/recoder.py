"""The recoding: what a release is made by, and all that writing, auditing and receipts know of it.

A kind of recoding is a module of its own beside this one: a rule gives each column one level, classes assigned
elsewhere have a node for each class and column. It fills GROUPED with the grouped rows of the release, and describes
itself for messages, receipt and certificate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from anonduck.auditing.report import AuditReport
from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.evaluation.spread import ShownLabels
from anonduck.frequency.frequency_set import check_mapped, make_lookup
from anonduck.measures.requirement import Requirement
from anonduck.methods.method import Method
from anonduck.methods.recodings import Recoding
from anonduck.privacy.chosen_values import refuse_absent
from anonduck.privacy.requirement import ask
from anonduck.release.released_rows import RowsQuery, expanded_rows
from anonduck.source.columns import Column
from anonduck.source.engine import SourceEngine
from anonduck.source.source import Roles, Source
from anonduck.statements import Statement, builder_database, line
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, ReleasedColumn, RuleColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.checks.checks import refuse_broken_trees
from anonduck.words import counted

RELEASE_SET = "release_set"
GROUPED = "release_rows"
SHOWN = "shown_labels"  # the labels that a column shows, while queries read them
STAYING = "staying_set"
MAX_LABELS = 1_000


@dataclass(frozen=True)
class ReleaseInputs:
    """What a recoding is applied to: an open source with its roles and taxonomies, and what the release is asked for.

    ``root_labels`` are those of ``taxonomies``, as far as they may be shown; ``keep_roots`` keeps attributes at their
    root, ``unmapped`` is ``"root"`` where values that a taxonomy does not know become the root label. ``subgroups`` are
    columns by which records that are left out are counted.
    """

    source: Source
    roles: Roles
    taxonomies: Mapping[str, Taxonomy]
    requirement: Requirement
    root_labels: Mapping[str, str] = field(default_factory=dict)
    keep_roots: bool = False
    unmapped: str = "refuse"
    subgroups: tuple[str, ...] = ()

    def root_label(self, name: str) -> str:
        """The label of the root of a column's taxonomy."""
        return self.root_labels.get(name, "*")

    def placing(self, name: str, *, refuse: bool | None = None) -> Placing:
        """How the values of a column are placed in its taxonomy; by default unknown ones are refused as asked."""
        unknown = self.unmapped != "root" if refuse is None else refuse
        return Placing(self.taxonomies[name], self.root_label(name), unknown)


@dataclass(frozen=True)
class Placing:
    """How the values of a column are placed in its taxonomy: its root's label, and whether to refuse unknown ones."""

    taxonomy: Taxonomy
    root_label: str
    refuse: bool


@dataclass(frozen=True, eq=False)
class MeasureInputs:
    """What the measures of a settled release read: the frequency set of the records that stay, and what they show.

    ``shown`` selects the rows of a set, RELEASE_SET or the same in another table, with the level and the equivalence
    class of each (sql/release/shown_by_classes.sql and its like). With ``free``, a level over the root is that of an
    interval which is no node (anonduck.release.class_recoder). ``typical`` are the columns that show typical values in
    the place of nodes (anonduck.release.typical_recoder).
    """

    roles: Roles
    taxonomies: Mapping[str, Taxonomy]
    staying: str
    shown: Callable[[str], Statement]
    free: bool = False
    typical: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Recoder(ABC):
    """A recoding applied to a source, by which a release is made; a kind of recoding is a subclass.

    Each scans the source, looks its values up, finds what each record shows, and groups the records by that.
    ``columns`` are the released ones, in the order of the source, each with its label.
    """

    inputs: ReleaseInputs
    columns: tuple[ReleasedColumn, ...]

    @property
    @abstractmethod
    def text(self) -> str:
        """The recoding as a person reads it, such as the rule's id and literal."""

    @property
    def advice(self) -> str:
        """What to do where the release stays under its requirement, as a sentence."""
        return "Require less, or anonymize more records"

    @property
    def shows(self) -> str:
        """What its cells are: ``ranges``, ``swapped`` values, or ``typical`` ones."""
        return "ranges"

    @property
    def merges(self) -> bool:
        """Whether classes may have become alike since they were judged, by what is shown of them once settled."""
        return self.shows != "ranges"

    @property
    def released(self) -> tuple[ReleasedColumn, ...]:
        """The columns of the release, in their order: by default ``columns``."""
        return self.columns

    @property
    def labelled_as_text(self) -> Self:
        """The recoding that releases ``columns``, each with its label: by default itself."""
        return self

    @property
    def levels(self) -> Mapping[str, int]:
        """The levels of a rule, by which models may have scored it; empty for any other kind."""
        return {}

    @property
    def generalized(self) -> list[str]:
        """The columns that it generalizes; the receipt has fingerprints of their taxonomies."""
        return [column.name for column in self.columns if column.generalized]

    @property
    @abstractmethod
    def highest_levels(self) -> Mapping[str, int]:
        """The highest level at which each released column is shown, without those shown at the root; once settled."""

    @property
    def measured(self) -> MeasureInputs | None:
        """What its measures read, once it is settled; None where a discovery measured it, and where no cells have
        nodes."""
        return None

    # -- filled --------------------------------------------------------------------------------------------------------

    def fill(self, engine: SourceEngine, *, show_values: bool, reporter: Reporter) -> dict[str, dict[str, int]]:
        """Scan the source into RELEASE_SET and group it into GROUPED.

        Returns by column how many values, and records, a taxonomy does not know. Raises TaxonomyError where those are
        refused.
        """
        database, requirement = engine.database, self.inputs.requirement
        self.scan(engine)
        sensitive = {name: value_column(name) for name in requirement.sensitive}
        refuse_absent(database, RELEASE_SET, sensitive, requirement.chosen, reporter.announce)
        refuse_broken_trees(database, self.generalized, frequency=RELEASE_SET, show_values=show_values)
        database.run(builder_database.schema(LOOKUP_SCHEMA))
        unmapped = look_up_all(database, self._placings, show_values=show_values, reporter=reporter)
        self._find(database, reporter)
        self.group(database)
        return unmapped

    def scan(self, engine: SourceEngine) -> None:
        """Scan the source into RELEASE_SET."""
        engine.frequency_set(self._scanned, RELEASE_SET)

    @property
    @abstractmethod
    def _scanned(self) -> Sequence[str]:
        """The columns that are scanned."""

    @property
    def _placings(self) -> list[Placing]:
        return [self.inputs.placing(name) for name in self.generalized]

    @abstractmethod
    def _find(self, database: Database, reporter: Reporter) -> None:
        """Find what each record shows; the lookups of the generalized columns are there."""

    @abstractmethod
    def group(self, database: Database) -> None:
        """Group the records that stay by what they show, into GROUPED."""

    @abstractmethod
    def settled(self, database: Database, *, numbered: bool) -> Self:
        """The recoding of what stays in GROUPED, whose labels and columns do not depend on the records left out.

        With ``numbered``, the audit's numbered set holds the classes that stay, and follows.
        """

    # -- written -------------------------------------------------------------------------------------------------------

    def rows(self, database: Database, *, some: bool) -> RowsQuery:
        """The query whose rows are the release, in its order (see anonduck.statements.row_order).

        They come from GROUPED, or from the source where columns are kept as they are; with ``some``, from those of its
        records alone whose classes stay.
        """
        return expanded_rows(self.released)

    @abstractmethod
    def described(self, database: Database) -> dict[str, Any]:
        """``rule`` and ``method``, ``warnings``, to which the audit adds its own, and ``remarks`` for the owner alone.

        What ``anonduck.release.handed_out`` does not list of them is in no receipt.
        """

    @abstractmethod
    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """What is known of a generalized column, beside its role."""

    @abstractmethod
    def labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels that a generalized column shows, for the data dictionary; once it is settled."""

    def as_data(self, database: Database) -> Recoding | None:
        """The recoding as data, once it is filled; None where it cannot be."""
        return None

    @abstractmethod
    def forget(self, database: Database) -> None:
        """Remove the working tables that nothing reads after the release."""


@dataclass(frozen=True)
class Recipe:
    """How a recoding is made once the source is open and its taxonomies are there.

    ``levels`` are the levels that a rule names: no other columns need a taxonomy. None where all quasi-identifiers do.
    ``of_file`` returns what is asked of the written file alone, where the recoding proves the rest in another way.
    ``proven`` is the name of the method where the recoder is a NodelessRecoder. Releases that are not ``by_rule``, but
    by a method or by classes made elsewhere, are kept in mind.
    """

    make: Callable[[ReleaseInputs], Recoder]
    levels: Mapping[str, int] | None = None
    of_file: Callable[[Requirement], Requirement] = lambda requirement: requirement
    proven: str = ""
    by_rule: bool = False


def asked_of_file(requirement: Requirement) -> Requirement:
    """What the file of a release by swaps or distributions is asked by itself: that it has records.

    The rest is proven with the original.
    """
    return replace(requirement, asked=ask({"k": 1}), suppression=0.0, sensitive=())


def kept_column(inputs: ReleaseInputs, column: Column) -> RuleColumn | None:
    """The class, or a column that is kept as it is, as a released one; None for any other."""
    roles = inputs.roles
    if column.name not in (roles.class_, *roles.kept):
        return None
    return RuleColumn(column.name, None, floating=column.floating)


def look_up_all(
    database: Database, placings: Iterable[Placing], *, show_values: bool, reporter: Reporter
) -> dict[str, dict[str, int]]:
    """Place the scanned values of columns in their taxonomies, in the schema of the release's lookups.

    Returns by column how many values, and records, a taxonomy does not know, which is announced. Raises TaxonomyError
    where those are refused.
    """
    of = {placing.taxonomy.column: placing for placing in placings}
    for column, placing in of.items():
        make_lookup(database, placing.taxonomy, frequency=RELEASE_SET, target=(LOOKUP_SCHEMA, column))
    taxonomies = {column: placing.taxonomy for column, placing in of.items()}
    refuse = {column for column, placing in of.items() if placing.refuse}
    unknown = check_mapped(database, taxonomies, schema=LOOKUP_SCHEMA, show_values=show_values, refuse=refuse)
    found = {column: counts for column, counts in unknown.items() if counts["values"]}
    for column, counts in found.items():
        reporter.announce(
            f"column {column!r}: {counted(counts['values'], 'value', 'values')} that its taxonomy does not know, in "
            f"{counted(counts['records'], 'record', 'records')}, became the root label {of[column].root_label!r}"
        )
    return found


def shown_labels(database: Database, column: ReleasedColumn) -> list[Any]:
    """The distinct labels of a column of GROUPED, in their order; NULL is none."""
    text = 'SELECT DISTINCT "{label}" FROM release_rows WHERE "{label}" IS NOT NULL ORDER BY "{label}"'
    query = line("release/recoder.shown_labels", text, label=value_column(column.name))
    return [label for (label,) in database.rows(query)]


def group_labels(labels: Sequence[Any]) -> dict[str, Any]:
    """``groups`` of a column: the labels that stand for several values. All that it shows is counted once it is
    written."""
    return {"groups": list(labels[:MAX_LABELS])}


@dataclass(frozen=True, kw_only=True)
class NodelessRecoder(Recoder):
    """A method with its options and ``seed`` on a source, of whose release the file alone does not show all.

    ``noun`` names what it finds; ``marks_lowering`` says that its own requirements mark where less is required than the
    config asks for.
    """

    noun: ClassVar[str]
    marks_lowering: ClassVar[bool]

    method: Method
    options: Mapping[str, Any]
    seed: int

    @property
    def text(self) -> str:
        """Whose it is."""
        return f"the {self.noun} of {self.method.name}"

    @abstractmethod
    def proven(self, database: Database, written: str) -> dict[str, Any]:
        """What is proven; ``requirements``, ``warnings`` and ``remarks`` are added to those of the file.

        Raises RequirementNotMet where the file does not hold what was promised.
        """

    def warned(self, report: AuditReport) -> Sequence[str]:
        """The warnings of the audit of the file alone, with what it cannot know: how the release was made."""
        return report.warnings

    def utility(self, config: Config) -> dict[str, Any] | None:
        """``utility``, for the owner, where the recoder measures that itself."""
        return None

    @property
    def rare_kept(self) -> Mapping[str, int]:
        """By quasi-identifier the records with a rare value that it shows as it is, where ``kept_rare`` counts them."""
        return {}
