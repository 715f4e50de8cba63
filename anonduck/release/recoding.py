"""The recoding: what a release is made by, and all that writing, auditing and receipts know of it.

A kind of recoding is a module of its own beside this one: a rule gives each column one level, classes assigned
elsewhere have a node for each class and column. It fills GROUPED with the grouped rows of the release, and describes
itself for messages, receipt and certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

from anonduck.auditing.report import AuditReport
from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.frequency.frequency_set import check_mapped, make_lookup
from anonduck.measures.requirement import Requirement
from anonduck.methods.method import Method
from anonduck.privacy.chosen_values import refuse_absent
from anonduck.privacy.requirement import ask
from anonduck.release.value_groups import ShownLabels
from anonduck.source.columns import Column
from anonduck.source.engine import SourceEngine
from anonduck.source.source import Roles, Source
from anonduck.statements.pipeline import builder_release
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, ReleasedColumn, RuleColumn
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.checks.checks import refuse_broken_trees

RELEASE_SET = "release_set"
GROUPED = "release_rows"
STAYING = "staying_set"
MAX_LABELS = 1_000


@dataclass(frozen=True)
class Ground:
    """What a recoding is applied to: an open source with its roles and taxonomies, and what the release is asked for.

    ``root_labels`` are those of ``taxonomies``, as far as they may be shown; ``keep_roots`` keeps attributes at their
    root, ``unmapped`` is ``"root"`` where values that a taxonomy does not know become the root label. ``beside`` are
    columns that no release shows for it, and that the measures of one by a method read.
    """

    source: Source
    roles: Roles
    taxonomies: Mapping[str, Taxonomy]
    requirement: Requirement
    root_labels: Mapping[str, str] = field(default_factory=dict)
    keep_roots: bool = False
    unmapped: str = "refuse"
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Measured:
    """What the measures of a settled release read: the frequency set of the records that stay, and what they show.

    ``shown`` selects the rows of a set, RELEASE_SET or the same in another table, with the level and the equivalence
    class of each (anonduck.statements.pipeline.builder_released). With ``free``, a level over the root is that of an
    interval which is no node (anonduck.release.free_intervals).
    """

    roles: Roles
    taxonomies: Mapping[str, Taxonomy]
    staying: str
    shown: Callable[[str], Any]
    free: bool = False


class Recoding(Protocol):
    """What a release is made by; a rule is one kind."""

    @property
    def text(self) -> str:
        """The recoding as a person reads it, such as the rule's id and literal."""

    @property
    def advice(self) -> str:
        """What to do where the release stays under its requirement, as a sentence."""

    @property
    def columns(self) -> tuple[ReleasedColumn, ...]:
        """The released columns, in the order of the source."""

    @property
    def levels(self) -> Mapping[str, int]:
        """The levels of a rule, by which models may have scored it; empty for any other kind."""

    @property
    def generalized(self) -> list[str]:
        """The columns that it generalizes; the receipt has fingerprints of their taxonomies."""

    @property
    def highest_levels(self) -> Mapping[str, int]:
        """The highest level at which each released column is shown, without those shown at the root; once settled."""

    @property
    def measured(self) -> Measured | None:
        """What its measures read, once it is settled; None for a rule, which its discovery measured."""

    def fill(self, engine: SourceEngine, *, show_values: bool, reporter: Reporter) -> dict[str, dict[str, int]]:
        """Scan the source into RELEASE_SET and group it into GROUPED.

        Returns by column how many values, and records, a taxonomy does not know. Raises TaxonomyError where those are
        refused.
        """

    def settled(self, database: Database, *, numbered: bool) -> Recoding:
        """The recoding of what stays in GROUPED, whose labels and columns tell nothing of the records that left.

        With ``numbered``, the audit's numbered set holds the classes that stay, and follows.
        """

    def rows(self, database: Database, *, some: bool) -> Any:
        """The query whose rows are the release, in its order (see anonduck.statements.row_order).

        They come from GROUPED, or from the source where columns are kept as they are; with ``some``, from those of its
        records alone whose classes stay.
        """

    def described(self, database: Database) -> dict[str, Any]:
        """``rule`` and ``method``, ``warnings``, to which the audit adds its own, and ``remarks`` for the owner alone.

        What ``anonduck.release.handed_out`` does not list of them is in no receipt.
        """

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """What is known of a generalized column, beside its role."""

    def labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels that a generalized column shows, for the data dictionary; once it is settled."""

    def forget(self, database: Database) -> None:
        """Remove the working tables that nothing reads after the release."""


@dataclass(frozen=True)
class Recipe:
    """How a recoding is made once the source is open and its taxonomies are there.

    ``levels`` are those that a rule names: no other columns need a taxonomy. None where all quasi-identifiers do.
    ``of_file`` returns what is asked of the written file alone, where the recoding proves the rest in another way.
    ``proven`` is the name of the method where the recoding is Provable.
    """

    make: Callable[[Ground], Recoding]
    levels: Mapping[str, int] | None = None
    of_file: Callable[[Requirement], Requirement] = lambda requirement: requirement
    proven: str = ""


@runtime_checkable
class Provable(Protocol):
    """A recoding that proves of the written file what the file alone does not tell.

    ``marks_lowering`` says that its own requirements mark where less is required than the config asks for.
    """

    marks_lowering: ClassVar[bool]

    def proven(self, database: Database, written: str) -> dict[str, Any]:
        """What is proven; ``requirements``, ``warnings`` and ``remarks`` are added to those of the file.

        Raises RequirementNotMet where the file does not hold what was promised.
        """

    def warned(self, report: AuditReport) -> Sequence[str]:
        """The warnings of the audit of the file alone, with what it cannot know: how the release was made."""


@runtime_checkable
class OfPersons(Protocol):
    """A recoding that knows of each released row which record of the source it is."""

    def rows_of(self, entity: str, *, some: bool) -> Any:
        """The query of the released rows with the column ``entity`` of the source; ``some`` as in ``rows``."""


@runtime_checkable
class SelfMeasuring(Protocol):
    """A recoding that measures what its release leaves of the data by itself."""

    def utility(self, config: Config, reporter: Reporter) -> dict[str, Any]:
        """``utility``, for the owner."""


def asked_of_file(requirement: Requirement) -> Requirement:
    """What the file of a release by swaps or distributions is asked by itself: that it has records.

    The rest is proven with the original.
    """
    return replace(requirement, asked=ask({"k": 1}), suppression=0.0, sensitive=(), with_class=False)


def kept_column(ground: Ground, column: Column) -> RuleColumn | None:
    """The class, or a column that is kept as it is, as a released one; None for any other."""
    roles = ground.roles
    if column.name not in (roles.class_, *roles.kept):
        return None
    counted = column.name == roles.class_ and ground.requirement.with_class
    return RuleColumn(column.name, None, floating=column.floating, counted=counted)


def check_scanned(
    database: Database, columns: Sequence[str], requirement: Requirement, *, show_values: bool, reporter: Reporter
) -> None:
    """Refuse what no lookup mends in RELEASE_SET: named sensitive values that it lacks, taxonomies that are no trees.

    ``columns`` are those that are generalized. The schema of the release's lookups is there afterwards.
    """
    sensitive = {name: value_column(name) for name in requirement.sensitive}
    refuse_absent(database, RELEASE_SET, sensitive, requirement.chosen, reporter.announce)
    refuse_broken_trees(database, columns, frequency=RELEASE_SET, show_values=show_values)
    database.run(builder_release.lookup_schema())


@dataclass(frozen=True)
class Placing:
    """How the values of a column are placed in its taxonomy: its root's label, and whether to refuse unknown ones."""

    taxonomy: Taxonomy
    root_label: str
    refuse: bool


def look_up_all(
    database: Database, placings: Iterable[Placing], *, show_values: bool, reporter: Reporter
) -> dict[str, dict[str, int]]:
    """Place the scanned values of columns in their taxonomies, in the schema of the release's lookups.

    Returns by column how many values, and records, a taxonomy does not know, which is announced. Raises TaxonomyError
    where those are refused.
    """
    counts = {
        placing.taxonomy.column: look_up(
            database,
            placing.taxonomy,
            root_label=placing.root_label,
            refuse=placing.refuse,
            show_values=show_values,
            reporter=reporter,
        )
        for placing in placings
    }
    return {name: unmapped for name, unmapped in counts.items() if unmapped["values"]}


def look_up(
    database: Database,
    taxonomy: Taxonomy,
    *,
    root_label: str,
    refuse: bool,
    show_values: bool,
    reporter: Reporter,
) -> dict[str, int]:
    """Place the scanned values of a column in its taxonomy, in the schema of the release's lookups.

    Returns how many values, and records, the taxonomy does not know, which is announced. Raises TaxonomyError if there
    are some and ``refuse``.
    """
    target = (LOOKUP_SCHEMA, taxonomy.column)
    make_lookup(database, taxonomy, frequency=RELEASE_SET, target=target)
    counts = check_mapped(database, taxonomy, target=target, show_values=show_values, refuse=refuse)
    if counts["values"]:
        reporter.announce(
            f"column {taxonomy.column!r}: {counts['values']} values that its taxonomy does not know, in "
            f"{counts['records']} records, became the root label {root_label!r}"
        )
    return counts


def shown_labels(database: Database, column: ReleasedColumn) -> list[Any]:
    """The distinct labels of a column of GROUPED, in their order; NULL is none."""
    return [label for (label,) in database.rows(builder_release.labels_used([column], column.name, GROUPED))]


def listed_labels(labels: Sequence[Any]) -> dict[str, Any]:
    """``labels`` of a column, and how many are not listed where they are too many."""
    omitted = len(labels) - MAX_LABELS
    return {"labels": list(labels[:MAX_LABELS]), **({"labels_omitted": omitted} if omitted > 0 else {})}


@dataclass(frozen=True, kw_only=True)
class NodelessRecoding:
    """A method with its options and ``seed`` on a source; ``noun`` names what it finds."""

    noun: ClassVar[str]

    method: Method
    options: Mapping[str, Any]
    seed: int
    ground: Ground
    columns: tuple[ReleasedColumn, ...]

    @property
    def text(self) -> str:
        """Whose it is."""
        return f"the {self.noun} of {self.method.name}"

    @property
    def advice(self) -> str:
        """What to do where all records together are too few, or too much alike."""
        return "Require less, or anonymize more records"

    @property
    def levels(self) -> Mapping[str, int]:
        """None: this is no rule."""
        return {}

    @property
    def measured(self) -> None:
        """Nothing: no cells have nodes."""
        return

    def rows(self, database: Database, *, some: bool) -> Any:
        """The grouped rows, in an order that follows from their values and links nothing."""
        return builder_release.expanded_rows(self.columns, GROUPED)
