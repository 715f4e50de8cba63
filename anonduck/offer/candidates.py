"""Candidates: recodings with what they come to, and the table of them in the decision database."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from anonduck.config.ways import LEARNER, RANGES, SWAPPED
from anonduck.config.workload import workload_text
from anonduck.database.fingerprints import fingerprint_key, json_fingerprint
from anonduck.errors import RuleError
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import literal
from anonduck.search.expected import SCORED, of_parts
from anonduck.statements import line, statement

if TYPE_CHECKING:
    import pandas as pd

    from anonduck.database.connection import Database
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace

RULES = "rules"
TABLE = "candidates"
NO_OFFER = "no offer was made of the rules and the config as they are"
IDENTIFIER = re.compile(r"M[1-9][0-9]*")
"""The id of a candidate that is no rule."""


@dataclass(frozen=True)
class Candidate:
    """A recoding of the offer.

    Attributes:
        id: ``R12`` for a rule, ``M3`` for what another method finds.
        method: ``rules``, or the name of the method.
        settings: options of the method, over those of the config.
        k_required: the k that the recoding was found for, in persons where the config has an entity.
        levels: those of a rule; None for other recodings.
        shows: what its classes show: ``ranges``, ``typical`` or ``swapped`` values; a rule shows levels, and counts as
            the first. Of swapped ones all figures but the scores are those of the classes.
        k: the records of the smallest equivalence class.
        classes: how many equivalence classes there are.
        suppressed: the records that are left out.
        columns: the quasi-identifiers that some record shows under the root.
        detail: the share of detail that is kept, 1 - NCP.
        detail_by_column: the share that each quasi-identifier keeps.
        changed: the share of the values of quasi-identifiers that are not shown as they came.
        information_gain: in bits.
        dependency: how often two released records that look alike differ in the class, as a receipt has it; None
            without a class.
        measures: utility measures, by name.
        privacy: what privacy models beside k reach, by name.
        expected: by model, what it reaches on people who are not in the release
            (anonduck.search.expected.ExpectedScore); empty where that was not measured.
        inference: how often the class of a person in the release is guessed right by the majority of the equivalence
            class (``released``), the class of others by a model (``control``), and the difference (``gain``) with its
            standard error, that of the control (``error``); None where no model was measured.
        workload: how far answers to the queries of the config are off, as of a release; None without queries.
        subgroups: by column of the config's ``subgroups`` and value, who is left out, the detail that is kept, and how
            often models are right about people who are not in the release; None without any.
        on_frontier: whether no other candidate that shows the same is as good in k, detail and expected score, and
            better in one; of equal ones, the first.
        failed: why the method found nothing; None where it did.
        unscored: why nothing is expected of it; None where something is, where there is no class, and where it failed.
    """

    id: str
    method: str
    settings: Mapping[str, Any]
    k_required: int
    levels: Mapping[str, int] | None = None
    shows: str = RANGES
    k: int = 0
    classes: int = 0
    suppressed: int = 0
    columns: tuple[str, ...] = ()
    detail: float = 0.0
    detail_by_column: Mapping[str, float] = field(default_factory=dict)
    changed: float = 0.0
    information_gain: float | None = None
    dependency: Mapping[str, Any] | None = None
    measures: Mapping[str, float] | None = None
    privacy: Mapping[str, Any] | None = None
    expected: Mapping[str, Mapping[str, Any]] | None = None
    inference: Mapping[str, float] | None = None
    workload: Mapping[str, Any] | None = None
    subgroups: Sequence[Mapping[str, Any]] | None = None
    on_frontier: bool = False
    failed: str | None = None
    unscored: str | None = None

    @property
    def measured(self) -> Candidate | None:
        """The candidate, where it has figures; None where they were of another config."""
        return self if self.classes else None

    @property
    def label(self) -> str:
        """The method with its settings, as `compare` takes them, or the rule."""
        if self.levels is not None:
            return literal(self.levels)
        from anonduck.methods.registry import method_label

        return method_label(self.method, self.settings)

    @property
    def words(self) -> str:
        """What a table calls it: its method, and what it shows where that is no range."""
        if self.levels is not None:
            return "rule"
        return self.label if self.shows == RANGES else f"{self.label}, {self.shows}"

    @property
    def may_be_taken(self) -> bool:
        """Whether ``run`` may choose it: swapped values promise less than k-anonymity, and are shown on request."""
        return self.shows != SWAPPED

    @property
    def left_out(self) -> list[str]:
        """The quasi-identifiers that no record shows under the root."""
        return [name for name in self.detail_by_column if name not in self.columns]

    @property
    def kind(self) -> str:
        """The kind of recoding: ``levels``, ``cuts`` or ``classes``."""
        if self.levels is not None:
            return "levels"
        from anonduck.methods.registry import METHODS

        return METHODS[self.method].recoding

    def score(self, name: str) -> tuple[float, float] | None:
        """The expected score ``accuracy.tree`` or ``roc_auc.tree`` and its standard error, of other scores than ROC AUC
        that of the accuracy; ``accuracy`` is that of ``learner_of``."""
        measure, _, model = name.partition(".")
        found = (self.expected or {}).get(model or learner_of(self.expected))
        value = None if found is None else found.get(measure)
        error = "roc_auc_error" if measure == "roc_auc" else "error"
        return None if found is None or value is None else (float(value), float(found.get(error, found["error"])))

    @property
    def query_error(self) -> float | None:
        """The median relative error of the queries of the workload; one without an answer counts as 1."""
        return None if self.workload is None else median(self._query_errors(self.workload))

    @property
    def mean_query_error(self) -> float | None:
        """The mean relative error of the queries of the workload; one without an answer counts as 1."""
        return None if self.workload is None else fmean(self._query_errors(self.workload))

    @staticmethod
    def _query_errors(workload: Mapping[str, Any]) -> list[float]:
        answered = [one for one in workload["queries"] if one["mean"] is not None or not _unanswered(one)]
        errors = [0.0 if one["mean"] is None else one["mean"] for one in answered]
        return [*errors, *[1.0] * (len(workload["queries"]) - len(answered))]

    @property
    def worst_group(self) -> tuple[float, float] | None:
        """The accuracy in the subgroup where it is lowest, by the model of ``learner_of``, and its standard error."""
        groups = [group for line in self.subgroups or () for group in (*line["values"], line["others"]) if group]
        scores = [group["scores"][learner_of(group["scores"])] for group in groups if group["scores"]]
        return min(((one["accuracy"], one["error"]) for one in scores), default=None)

    def with_expected(self, released: float, expected: Mapping[str, Mapping[str, Any]]) -> Candidate:
        """The same with what is expected of models, where the class of so many of its people is guessed right."""
        told = {model: dict(score) for model, score in expected.items()}
        return replace(self, expected=told, inference=inference_of(released, told))

    def without_part(self, part: int) -> Candidate:
        """The same with its scores measured without a part of the tested records."""
        expected = {}
        for model, score in (self.expected or {}).items():
            expected[model] = of_parts(score, [one for at, one in enumerate(score["parts"]) if at != part])
        inference = None if self.inference is None else inference_of(self.inference["released"], expected)
        return replace(self, expected=expected, inference=inference)

    def as_json(self) -> dict[str, Any]:
        """The candidate as ``anonduck frontier --json`` prints it."""
        from anonduck.methods.method import ATTACKS, PROTECTS
        from anonduck.methods.registry import METHODS

        rule, shown = self.levels is not None, self.kind if self.may_be_taken else SWAPPED
        return {
            **asdict(self),
            "columns": list(self.columns),
            "left_out": self.left_out,
            "label": self.label,
            "query_error": self.query_error,
            "mean_query_error": self.mean_query_error,
            "worst_group": self.worst_group,
            "learner": learner_of(self.expected) or None,
            "recoding": shown,
            "protects": PROTECTS[shown],
            "attacks": ATTACKS[shown] if rule else METHODS[self.method].attacks(recoding=shown),
        }


def learner_of(scores: Mapping[str, Any] | None) -> str:
    """The model that scores a candidate where none is named: gradient boosting, or the first where it was not tested;
    empty without any.

    It is named before anything is measured, as the higher of two noisy scores is too high.
    """
    return LEARNER if LEARNER in (scores or {}) else next(iter(scores or {}), "")


def unscored(candidates: Sequence[Candidate]) -> dict[str, list[str]]:
    """The ids of the candidates that have no expected score, by the reason."""
    found: dict[str, list[str]] = {}
    for one in candidates:
        if one.unscored is not None:
            found.setdefault(one.unscored, []).append(one.id)
    return found


def inference_of(released: float, expected: Mapping[str, Mapping[str, Any]]) -> dict[str, float] | None:
    """How often the class of people in a release is guessed right, against that of others, whose class a model guesses
    (Giomi et al. 2023, Anonymeter, section 3).

    What holds of the release is counted; its error is that of the control group.
    """
    if not expected:
        return None
    control = expected[learner_of(expected)]
    return {
        "released": round(released, DIGITS),
        "control": control["accuracy"],
        "gain": round(released - control["accuracy"], DIGITS),
        "error": control["error"],
    }


def _unanswered(query: Mapping[str, Any]) -> bool:
    """Whether a candidate lacks a column that a query reads, or its answer failed."""
    return bool(query["lacks"]) or query["reason"] is not None


def candidate_from_json(document: Mapping[str, Any]) -> Candidate:
    """The candidate that ``as_json`` wrote, of this version or of one that had fewer fields."""
    fields = {name: document[name] for name in Candidate.__dataclass_fields__ if name in document}
    return replace(Candidate(**fields), columns=tuple(document["columns"]))


def candidate_table(candidates: Sequence[Candidate]) -> pd.DataFrame:
    """Candidates as a table of one row each; one without rows displays why."""
    import pandas as pd

    from anonduck.rules.empty_table import empty_table

    if candidates:
        return pd.DataFrame([one.as_json() for one in candidates])
    numbers = {"k": "int64", "classes": "int64", "suppressed": "int64", "detail": "float64"}
    columns = {name: numbers.get(name, "object") for name in Candidate.__dataclass_fields__}
    return empty_table(f"{NO_OFFER}; `anonduck discover --method NAME` makes one", columns)


# -- in the decision database ------------------------------------------------------------------------------------------


def keep_candidates(database: Database, candidates: Sequence[Candidate], of: str) -> None:
    """Replace the table of candidates; ``of`` identifies the discovery and the config that they are of."""
    rows = [{**one.as_json(), "offer": of} for one in candidates]
    database.run(statement("offer/keep_candidates.sql"), {"candidates": json.dumps(rows)})


def stored_candidates(database: Database) -> tuple[str, tuple[Candidate, ...]]:
    """What the last offer is of, and its candidates in their order; empty where none was made."""
    if not database.types_if_there("main", TABLE):
        return "", ()
    text = "SELECT offer, candidate FROM candidates ORDER BY place"
    rows = database.rows(line("offer/candidates.stored_candidates", text))
    return rows[0][0] if rows else "", tuple(candidate_from_json(json.loads(candidate)) for _, candidate in rows)


def kept_offer(workspace: Workspace, stored: StoredDiscovery) -> tuple[Candidate, ...]:
    """The candidates that were found for this discovery and config, in their order; empty where none were."""
    of, found = stored_candidates(workspace.database)
    return found if found and of == identity(workspace, stored) else ()


def identity(workspace: Workspace, stored: StoredDiscovery) -> str:
    """What identifies an offer: what its rules depended on and are, what is required, and what is selected by."""
    config = workspace.written
    depended: list[Any] = [
        stored.settings,
        [[rule.id, dict(rule.levels), rule.measures.k] for rule in stored.rules],
        [config.method_options, config.holdout, config.models, config.weighed_by, config.within_of_rules],
        [config.requirement.model_dump(mode="json"), list(config.subgroups), config.blocks],
        None if config.ways == (RANGES,) else config.shown_columns or list(config.ways),
        SCORED,
    ]
    given = workload_text(config.workload, workspace.folder)
    if given is not None:
        depended.append(given.text)
    return json_fingerprint(fingerprint_key(workspace.database), depended)


def candidate_named(candidates: Sequence[Candidate], identifier: str) -> Candidate:
    """The candidate with an id; raises RuleError that names all ids."""
    for one in candidates:
        if one.id == identifier:
            if one.failed is not None:
                raise RuleError(f"{identifier} ({one.words}) came to nothing: {one.failed}")
            return one
    known = ", ".join(one.id for one in candidates if one.failed is None) or "none"
    raise RuleError(f"there is no candidate {identifier}; `anonduck frontier` lists them. There are: {known}")
