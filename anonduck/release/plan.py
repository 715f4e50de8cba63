"""How a release is made, and its plan: what it is made by, and what must be met."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from anonduck.config.config import Config
from anonduck.config.persons import PersonCounts
from anonduck.config.policy import Policy
from anonduck.database.connection import Database
from anonduck.errors import RequirementNotMet
from anonduck.measures.requirement import Requirement, kept_text
from anonduck.release.recoder import Recoder
from anonduck.rules.rule import literal
from anonduck.search.expected import kept_expected
from anonduck.search.freshness import stale
from anonduck.search.store import last_choice, read_discovery
from anonduck.source.queries import Workload
from anonduck.statements.pipeline.builder_release import ReleasedColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.taxonomy.kept import KeptTaxonomies
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    from anonduck.offer.candidates import Candidate

By_co = TypeVar("By_co", bound=Recoder, covariant=True)
By = TypeVar("By", bound=Recoder)
OF_RECORDS = {"source", "where", "class", "types", "csv", "dates", "timezone", "nulls"}
"""What decides which records there are, and what they hold."""

EARLIER_CONFIG = "records by an earlier config"
"""Stands for their fingerprint, which no source has."""


@dataclass(frozen=True)
class RuleScores:
    """What is expected of a rule by model, None where it was not measured, and the fingerprint of the records that this
    is of, empty where those are no files."""

    expected: Mapping[str, Mapping[str, Any]] | None = None
    expected_of: str = ""

    def for_records(self, content: str) -> dict[str, Any]:
        """``expected`` as in the owner's file of a release of records with this fingerprint.

        What was expected of earlier or other records says so, and has no reason to hold for records whose class depends
        on the columns in another way.
        """
        of = "this export" if self.expected_of in ("", content) else "another export, on which the rule was selected"
        expected = {model: {**score, "measured_on": of} for model, score in (self.expected or {}).items()}
        return {"expected": expected or None}


def scores_of(workspace: Workspace, levels: Mapping[str, int]) -> RuleScores:
    """What models made of a rule, by the decision database; nothing where its levels meant something else then."""
    database = workspace.database
    stored, choice, kept = read_discovery(database), last_choice(database), kept_expected(database)
    changed = set(stale(workspace, stored)) if stored else set()
    if changed & {f"taxonomies.{name}" for name in levels}:
        return RuleScores()
    found, content = (kept.rules.get(literal(levels)), str(kept.asked["content"])) if kept else (None, "")
    if kept is None and choice is not None and choice.levels == dict(levels):
        found, content = choice.expected.get("models"), choice.expected.get("content", "")
    return RuleScores(found, EARLIER_CONFIG if changed & OF_RECORDS else content)


@dataclass(frozen=True)
class ReleasePlan(Generic[By_co]):
    """What a release is made by, what must be met, and what the config requires.

    ``scores`` is what models made of the rule when it was found, ``reason`` why it was chosen, where not by a person,
    ``chosen_by`` the same without what was found, where a search chose, ``candidate`` the id of a candidate that is no
    rule, ``asked`` what a run was asked, as text, ``entity`` what k is in persons, ``policy`` what the release stands
    under and ``policy_remarks`` what its floors do not judge, and ``unknown_values`` what becomes of values that a
    taxonomy does not know; all are for the receipt. ``workload`` is what is asked of it, for the owner's file, and
    ``of_choice`` what is required of what is chosen, with what it has. ``overridable``: the call takes a requirement of
    its own.
    """

    recoding: By_co
    requirement: Requirement
    configured: Mapping[str, Any]
    scores: RuleScores = field(default_factory=RuleScores)
    reason: str | None = None
    chosen_by: str | None = None
    candidate: str | None = None
    asked: str | None = None
    entity: PersonCounts | None = None
    policy: Policy | None = None
    policy_remarks: Sequence[str] = ()
    unknown_values: str = "refuse"
    workload: Workload | None = None
    of_choice: Sequence[Mapping[str, Any]] = ()
    overridable: bool = False

    @property
    def columns(self) -> tuple[ReleasedColumn, ...]:
        """The released columns, in the order of the source."""
        return self.recoding.released

    @property
    def attributes(self) -> list[str]:
        """The released quasi-identifiers, and what counts as one, as the grouped release names them."""
        return [value_column(column.name) for column in self.columns if column.distinguishes]

    @property
    def sensitive(self) -> list[str]:
        """The sensitive columns that requirements read, as the grouped release names them."""
        return [value_column(name) for name in self.requirement.sensitive]


ReleaseReader = Callable[[Database, ReleasePlan[Recoder], int], None]
"""Reads a release that meets its requirement from the working tables; hears of how many records are left out."""


@dataclass(frozen=True, kw_only=True)
class ReleaseSettings:
    """How a release is made, whatever it is made by.

    Attributes:
        export: the absolute path of an export to release in place of the config's source.
        overwrite: whether a release that stands at the target may be replaced.
        dry_run: measure only; nothing is written.
        requirement: replaces single requirements of the config.
        overridable: whether who asks for the release may do so; a run and what dbt loads take the config's.
        keep_roots: keep the columns that the recoding leaves out, as their root label.
        unmapped: what becomes of values that a taxonomy lacks; None stands for what the config says.
        show_values: let errors name such values.
        reason: why this recoding was chosen, for the receipt; None where a person chose it.
        chosen_by: how a search chose it, without what else was found.
        candidate: the id of the candidate that it is made by, if that is no rule.
        found_for: the k that this candidate was found for, where that is larger than what anybody asked for.
        offered: the candidate that it is made by, with what the offer measured of it; None where it is none, or where
            that is to be looked up.
        judges_choice: whether what a config requires of a choice is judged; not where a release is only measured.
        asked: what decides the release, as text; the receipt keeps a fingerprint.
        reader: reads the release from the working tables, in place of a file.
        as_data: whether the release carries its recoding as data (``Release.recoding``, ``Release.kept``).
        kept: the taxonomies for a larger k that the recoding was kept with; None stands for those that are made now.
        show: what classes show, ``"ranges"``, ``"typical"`` or ``"swapped"``; None stands for the config's first that
            the method can.
        bounds: how ranges are written, ``"text"`` or ``"columns"``; None stands for what the config says.
    """

    export: str | None = None
    overwrite: bool = False
    dry_run: bool = False
    requirement: Mapping[str, Any] | None = None
    overridable: bool = False
    keep_roots: bool = False
    unmapped: str | None = None
    show_values: bool = False
    reason: str | None = None
    chosen_by: str | None = None
    candidate: str | None = None
    found_for: int | None = None
    offered: Candidate | None = None
    judges_choice: bool = True
    asked: str | None = None
    reader: ReleaseReader | None = None
    as_data: bool = False
    kept: KeptTaxonomies | None = None
    show: str | None = None
    bounds: str | None = None


AS_CONFIGURED = ReleaseSettings()
"""A release by nothing but the config."""


def refuse_dropped(plan: ReleasePlan[Recoder]) -> None:
    """Raise RequirementNotMet if a settled recoding drops a column that must stay, or shows it at a higher level."""
    shown = plan.recoding.highest_levels
    for name, most in plan.requirement.keep.items():
        if name not in shown or (most is not None and shown[name] > most):
            what = f"shows {name!r} at level {shown[name]}" if name in shown else f"drops {name!r}"
            raise RequirementNotMet(
                f"the release of {plan.recoding.text} {what}, and the config requires to keep {kept_text(name, most)}; "
                f"nothing was written. Give {name!r} {_fitting(most)}, or change `keep` in the config"
            )


def _fitting(most: int | None) -> str:
    return "a level under its root" if most is None else f"level {most} or a lower one" if most else "level 0"


def plan_of(recoding: By, config: Config, requirement: Requirement) -> ReleasePlan[By]:
    """The plan of a release by a recoding."""
    return ReleasePlan(recoding, requirement, _configured(config))


def _configured(config: Config) -> dict[str, Any]:
    return {**config.requirement.asked, "suppression": config.requirement.suppression}
