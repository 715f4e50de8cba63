"""A release: the source recoded, written beside its target, audited from that file, put in place."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from anonduck.auditing.audit import audit
from anonduck.auditing.report import AuditReport
from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.database.session import Tracer
from anonduck.errors import DatabaseError, ReleaseBusy, ReleaseError, ReleaseJudgedUnder, RequirementNotMet
from anonduck.measures.shortfall import Shortfall, shortfall
from anonduck.methods.recodings import Recoding
from anonduck.privacy import audited_tables, relations
from anonduck.privacy.chosen_values import ValueChoices
from anonduck.privacy.requirement import Criterion, CriterionResult
from anonduck.release.asked import answer_workload, count_subgroups
from anonduck.release.dictionary import dictionary_texts, release_dictionary
from anonduck.release.engine_target import EngineTarget
from anonduck.release.handed_out import as_text, handed_out
from anonduck.release.kept_figures import (
    kept_as_they_are,
    refuse_rare,
    unwritten_kept,
    unwritten_rows,
    with_kept,
)
from anonduck.release.linked_persons import LINKED_K, judge_linked, refuse_unjudged
from anonduck.release.plan import ReleasePlan, ReleaseSettings, refuse_dropped
from anonduck.release.receipt import draft_of, requirement_lines
from anonduck.release.recoded_columns import class_sizes
from anonduck.release.recoder import GROUPED, NodelessRecoder, Recoder
from anonduck.release.shown_values import list_values, values_of_rows
from anonduck.release.sinks import sink_of
from anonduck.release.target import ReleaseTarget, finish_interrupted, sha256_of_text
from anonduck.source.source import Roles, Source
from anonduck.taxonomy.kept import KeptTaxonomies
from anonduck.words import counted, html_table, line_row, summary_line

if TYPE_CHECKING:
    from anonduck.measures.judged_classes import ClassesResult


@dataclass(frozen=True, repr=False)
class Release:
    """A release that was made (or, with ``written`` false, would be): what it reached, and where it is.

    ``receipt`` is what is handed out of what is known of it, ``owner`` all of that. ``blocked`` says what is in the way
    of one that would miss what is required. ``dictionary`` is its data dictionary, where it was written. ``skipped``
    says that it stood there already, as it would have been made. ``recoding`` is what it was made by, where that was
    asked for and can be applied again; it holds values of the source. ``kept`` are the taxonomies that it was made by,
    where those are for a larger k than the config's.
    """

    target: str
    written: bool
    rows: int
    classes: int
    k: int
    receipt: Mapping[str, Any]
    owner: Mapping[str, Any]
    receipt_path: str
    owner_path: str = ""
    suppressed: int = 0
    blocked: Shortfall | None = None
    dictionary: Mapping[str, Any] | None = None
    dictionary_path: str = ""
    skipped: bool = False
    recoding: Recoding | None = None
    kept: KeptTaxonomies | None = None

    def __repr__(self) -> str:
        """Where it is, and what it reached."""
        place = self.target if self.there else "not written"
        records, classes = counted(self.rows, "record", "records"), counted(self.classes, "class", "classes")
        return summary_line("Release", [place, f"k {self.k:,}", records, classes, f"{self.suppressed:,} suppressed"])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What whoever hands it out has to know, with what the receipt leaves out."""
        return (*self.owner["remarks"], *self.owner["warnings"])

    @property
    def there(self) -> bool:
        """Whether it stands at its target, written now or before."""
        return self.written or self.skipped

    def _repr_html_(self) -> str:
        """What was asked, and what it reached."""
        asked = [*self.owner["requirements"], *self.owner.get("of_choice", ())]
        return html_table(repr(self), map(line_row, asked))

    def as_json(self) -> dict[str, Any]:
        """The release as ``anonduck release --json`` prints it."""
        return {
            "file": self.target,
            "written": self.written,
            "skipped": self.skipped,
            "rows": self.rows,
            "classes": self.classes,
            "k": self.k,
            "suppressed": self.suppressed,
            "met": all(line["met"] for line in self.receipt["requirements"]),
            "blocked": None if self.blocked is None else self.blocked.as_json(),
            "receipt_file": self.receipt_path if self.there else None,
            "dictionary_file": self.dictionary_path if self.there else None,
            "owner_file": self.owner_path if self.there else None,
            "warnings": list(self.warnings),
            **{name: self.owner[name] for name in ("rule", "method", "requirements", "unmapped")},
            **{name: self.owner.get(name) for name in ("kept", "rare_under", "unique_with_kept")},
            **{name: self.owner[name] for name in ("expected", "utility")},
            **{name: self.owner.get(name) for name in ("of_choice", "workload", "subgroups")},
        }


def make_release(
    database: Database,
    plan: ReleasePlan[Recoder],
    target: ReleaseTarget | None,
    *,
    source: Source,
    roles: Roles,
    config: Config,
    settings: ReleaseSettings,
    reporter: Reporter,
) -> Release:
    """Write, audit and put in place a release; with no target, say what it would be, and let it be read.

    The source is scanned once, and once more when columns are kept as they are. Raises TaxonomyError for values that a
    taxonomy does not know, RequirementNotMet when the release stays under what is required (nothing is left behind),
    and ReleaseError when it cannot be written (what stood there is untouched).
    """
    if target is not None and (mended := finish_interrupted(target)):
        reporter.announce(mended)
    if target is not None and not isinstance(target, EngineTarget):  # an engine was asked already
        target.refuse_standing(overwrite=settings.overwrite)
    refuse_unjudged(plan, source)
    reader = settings.reader
    try:
        unmapped = plan.recoding.fill(source.engine, show_values=settings.show_values, reporter=reporter)
        judged = judge_release(database, plan)
        plan = replace(plan, recoding=plan.recoding.settled(database, numbered=judged is not None))
        if judged is not None and judged.reached and plan.recoding.merges:
            judged = replace(judged, reached=_reached_now(database, plan))
        refuse_dropped(plan)
        rows, classes, k = database.row(class_sizes(plan.columns))
        reached = judged.reached if judged else (CriterionResult(plan.requirement.asked[0], {"k": k}),)
        suppressed, share = (judged.suppressed, judged.share) if judged else (0, 0.0)
        reached = (*reached, *judge_linked(database, plan, config, some=suppressed > 0)) if reached else reached
        removed = (
            suppressed if reached else 0
        )  # where too many would have to be, none are, and the requirement is missed
        _refuse_lost(source.engine.count(), rows + removed, "in it or left out")
        own = isinstance(plan.recoding, NodelessRecoder) and plan.recoding.marks_lowering
        configured = {} if own else plan.configured
        lines = requirement_lines(configured, plan.requirement, reached, share, found_for=settings.found_for)
        counts = (rows, classes, k, suppressed)
        draft = draft_of(database, plan, source, roles, lines, unmapped, counts)
        recoding = plan.recoding.as_data(database) if settings.as_data else None
        if target is None and reader is None:
            draft |= _unwritten(database, plan, source, roles, config, draft, some=removed > 0)
        blocked = _blocked(database, plan, lines)  # groups the classes anew, the kept ones among them
        if reader is not None:
            _refuse_under(lines, plan, blocked)
            reader(database, plan, suppressed)
        elif target is None or blocked is None:
            draft |= _utility(database, plan, config)
            if blocked is None:
                draft |= _asked_by_owner(database, plan, source, config, some=suppressed > 0)
        if target is None:
            shown = handed_out(draft, written=False)
            made = Release("", False, rows, classes, k, shown, draft, "", suppressed=suppressed, blocked=blocked)
            return replace(made, recoding=recoding)
        _refuse_under(lines, plan, blocked)
        with _disk_errors(target):
            some = suppressed > 0
            report, dictionary = _write(
                source, plan, target, roles, overwrite=settings.overwrite, draft=draft, config=config, some=some
            )
    finally:
        plan.recoding.forget(database)
        if not plan.requirement.plain:
            relations.forget(database)
    written = (report.rows, report.classes, report.k, handed_out(draft), draft, str(target.receipt), str(target.owner))
    made = Release(target.text, True, *written, suppressed=suppressed)
    return replace(made, dictionary=dictionary, dictionary_path=str(target.dictionary), recoding=recoding)


def _unwritten(
    database: Database,
    plan: ReleasePlan[Recoder],
    source: Source,
    roles: Roles,
    config: Config,
    draft: Mapping[str, Any],
    *,
    some: bool,
) -> dict[str, Any]:
    """What is read of a written release, of the rows of one that is not; what its columns show is not known of records
    that stay in an engine."""
    found = with_kept(plan, draft, kept := unwritten_kept(database, plan, source, roles, some=some))
    if kept is not None:
        with unwritten_rows(database, plan, source, some=some):
            read = partial(values_of_rows, database)
            _, found["columns"] = list_values(database, plan, source, config, draft["columns"], read)
    return found


def _utility(database: Database, plan: ReleasePlan[Recoder], config: Config) -> dict[str, Any]:
    """``utility``, where it is measured on the release."""
    if not isinstance(plan.recoding, NodelessRecoder) and plan.recoding.measured is None:
        return {}
    from anonduck.release.released_utility import measure_release

    found = measure_release(database, plan.recoding, config)
    return {} if found is None else {"utility": found}


def _asked_by_owner(
    database: Database, plan: ReleasePlan[Recoder], source: Source, config: Config, *, some: bool
) -> dict[str, Any]:
    """``workload`` and ``subgroups``, where the config asks for them; for the owner alone."""
    found: dict[str, Any] = {}
    plan = replace(plan, recoding=plan.recoding.labelled_as_text)
    if plan.workload is not None:
        found["workload"] = answer_workload(database, plan, source, plan.workload, some=some)
    if config.subgroups:
        k = max(plan.requirement.k, config.requirement.k)
        found["subgroups"] = count_subgroups(database, plan, list(dict.fromkeys(config.subgroups)), k)
    return found


def judge_release(database: Database, plan: ReleasePlan[Recoder]) -> ClassesResult | None:
    """What the grouped release reaches, from which classes that fail are removed where few enough records do.

    None where k alone is required: that is read off the class sizes. The numbered set of the classes that stay is left
    for the rows of the source.
    """
    if plan.requirement.plain:
        return None
    from anonduck.measures.judged_classes import judge_classes

    judged = judge_classes(database, GROUPED, plan.attributes, plan.sensitive, plan.requirement)
    if judged.suppressed and judged.reached:
        database.run(audited_tables.kept_rows(GROUPED, plan.attributes, GROUPED))
    return judged


def _reached_now(database: Database, plan: ReleasePlan[Recoder]) -> tuple[CriterionResult, ...]:
    """What the settled release reaches, whose classes may have become alike; nothing more is left out."""
    from anonduck.measures.judged_classes import judge_classes

    whole = replace(plan.requirement, suppression=0.0)
    return judge_classes(database, GROUPED, plan.attributes, plan.sensitive, whole).reached


CHANGED = (
    "nothing was kept. Either the source changed while it was read, and the release is to be made again, or this is a "
    "bug of anonduck: report it"
)


def _refuse_lost(expected: int, found: int, where: str) -> None:
    """Raise ReleaseError if a release does not account for each record."""
    if expected != found:
        raise ReleaseError(f"{expected:,} records were read and {found:,} are {where}; {CHANGED}")


def _refuse_other(draft: Mapping[str, Any], report: AuditReport, where: str) -> None:
    """Raise ReleaseError if what was written is not the release that the receipt was drafted of.

    Both count the records of the same classes: the audit is given the columns that distinguish, and no persons.
    """
    _refuse_lost(draft["rows"], report.rows, f"in {where}")
    for name, found in (("classes", report.classes), ("k", report.k)):
        if draft[name] != found:
            raise ReleaseError(f"the release has {name} = {draft[name]:,} and {where} {name} = {found:,}; {CHANGED}")


def _blocked(database: Database, plan: ReleasePlan[Recoder], lines: Sequence[Mapping[str, Any]]) -> Shortfall | None:
    """What is in the way of the grouped release; None where all is met."""
    if all(line["met"] for line in lines):
        return None
    found = shortfall(database, GROUPED, plan.attributes, plan.sensitive, plan.requirement)
    relations.forget(database)
    return found


def _replaced(name: str) -> str:
    return f"`--require {name}=N` replaces the requirement, and the receipt records a lowering"


def _changed(name: str) -> str:
    return f"what is required is `{name}` under `requirement` in the config"


def _refuse_under(lines: Sequence[Mapping[str, Any]], plan: ReleasePlan[Recoder], blocked: Shortfall | None) -> None:
    offered = None if blocked is None else blocked.in_release if plan.overridable else blocked.text
    why = f"{offered}. " if blocked is not None and blocked.failing else ""
    missed = [line["name"] for line in lines if not line["met"]]
    for line in lines:
        if not line["met"]:
            whose, advice = plan.recoding.text, plan.recoding.advice
            side = "over" if line.get("at_most") else "under"
            failing = f" (the share of records in classes that fail {plan.requirement.classes})"
            column = f" (column {line['attribute']!r})" if "attribute" in line else ""
            column += " by the sensitive values of the policy" if line.get("by_policy") else ""
            what = failing if line["name"] == "suppression" else column
            words = (
                f"the release of {whose} reaches {line['name']} = {line['reached']}{what}, {side} the required "
                f"{line['required']}; nothing was written. {why}{advice}"
            )
            if not line.get("by_policy") and (plan.policy is None or line["name"] not in plan.policy.floors.named):
                words += "; " + (_replaced(line["name"]) if plan.overridable else _changed(line["name"]))
            if missed == [LINKED_K]:
                raise ReleaseJudgedUnder(words, f"{LINKED_K} = {line['reached']}, required {line['required']}")
            raise RequirementNotMet(words)


def _write(
    source: Source,
    plan: ReleasePlan[Recoder],
    target: ReleaseTarget,
    roles: Roles,
    *,
    overwrite: bool,
    draft: dict[str, Any],
    config: Config,
    some: bool,
) -> tuple[AuditReport, dict[str, Any]]:
    """Write, audit, and put in place with receipt and data dictionary; returns what the audit found and the latter."""
    database = source.engine.database
    with sink_of(source, plan, target, roles, config, overwrite=overwrite, some=some) as sink:
        sink.write()
        report = _audited(sink.written, plan, roles, config, database.tracer)
        _refuse_other(draft, report, sink.where)
        draft |= {**sink.digest(), **_found(report, plan, draft)}
        draft["versions"] |= sink.versions
        _prove(database, plan.recoding, sink.written, draft)
        found, draft["columns"] = list_values(database, plan, source, config, draft["columns"], sink.values)
        dictionary = release_dictionary(database, plan, source, roles, handed_out(draft), found)
        sink.put(_texts(target, draft, dictionary))
    return report, dictionary


def _texts(target: ReleaseTarget, draft: dict[str, Any], dictionary: Mapping[str, Any]) -> tuple[str, ...]:
    """The documents of a release: its receipt, its data dictionary in both forms, and its owner's file.

    The receipt names the hashes of the dictionaries; of the owner's file, which names that of the release, it does not,
    as that hash could confirm a guess at what only the owner knows.
    """
    dictionaries = dictionary_texts(dictionary)
    names = (target.dictionary.name, target.dictionary_text.name)
    hashes = {name: sha256_of_text(text) for name, text in zip(names, dictionaries, strict=True)}
    draft["files"] = hashes
    return as_text(handed_out(draft)), *dictionaries, as_text(draft)


def _prove(database: Database, recoding: Recoder, written: str, draft: dict[str, Any]) -> None:
    """Add what is proven by more than the written file."""
    if isinstance(recoding, NodelessRecoder):
        found = recoding.proven(database, written)
        for name in ("requirements", "warnings", "remarks"):
            draft[name] = [*draft[name], *found.pop(name)]
        draft |= found


def _found(report: AuditReport, plan: ReleasePlan[Recoder], draft: Mapping[str, Any]) -> dict[str, Any]:
    """What is taken over from the audit: its warnings, the named sensitive values that are released, and the figures of
    kept columns; raises RequirementNotMet where those miss what is required.
    """
    document, recoding = report.as_json(), plan.recoding
    named = {name: document[name] for name in ("sensitive_values",) if name in document}
    warned = recoding.warned(report) if isinstance(recoding, NodelessRecoder) else report.warnings
    kept = with_kept(plan, draft, kept_as_they_are(plan, report.kept))
    refuse_rare(plan, kept["requirements"], report.kept.under)
    return named | kept | {"warnings": [*draft["warnings"], *warned]}


def _audited(
    written: object, plan: ReleasePlan[Recoder], roles: Roles, config: Config, tracer: Tracer | None
) -> AuditReport:
    """Audit what was written, from the file alone; raises RequirementNotMet if it does not hold what was promised.

    Floors of a policy that count other values than the config are audited by those.
    """
    required = plan.requirement
    if required.floors:
        _audited_by(written, plan, roles, config, tracer, required.floors, required.of_policy)
    return _audited_by(written, plan, roles, config, tracer, required.own, required.chosen)


def _audited_by(
    written: object,
    plan: ReleasePlan[Recoder],
    roles: Roles,
    config: Config,
    tracer: Tracer | None,
    asked: Sequence[Criterion],
    chosen: ValueChoices,
) -> AuditReport:
    held = {column.name for column in plan.columns}
    report = audit(
        written,
        [c.name for c in plan.columns if c.distinguishes],
        sensitive=[name for name in roles.sensitive if name in held],
        insensitive=roles.insensitive,
        class_=roles.named_class,
        requirements={one.model.name: one.required for one in asked},
        taxonomies=plan.requirement.files,
        rare_under=plan.requirement.rare_under,
        at_most=plan.requirement.most,
        sensitive_values={name: one.given for name, one in chosen.items()},
        order=plan.requirement.orders,
        allow_absent=True,  # the source holds them, and suppression may have taken them all
        measures="required",
        threads=config.threads,
        memory_limit=config.memory_limit,
        tracer=tracer,
    )
    if not report.met:
        unmet = ", ".join(f"{r.name} = {r.reached} (required {r.required})" for r in report.requirements if not r.met)
        raise RequirementNotMet(f"the audit of the written file found {unmet}; nothing was kept")
    return report


@contextlib.contextmanager
def _disk_errors(target: ReleaseTarget) -> Iterator[None]:
    """Turn a full disk inside into a ReleaseError that names the target."""
    try:
        yield
    except DatabaseError as error:
        if "disk is full" not in str(error):
            raise
        raise ReleaseBusy(
            f"the disk is full; {target.text} was not written and nothing was left behind. Free space and run again"
        ) from None
