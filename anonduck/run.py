"""The whole job for ETL: discover if needed, select a rule, release it, audit it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from anonduck.config.reading import with_changes
from anonduck.config.selection import WORKLOAD
from anonduck.config.ways import RULES
from anonduck.database.fingerprints import fingerprint_key, json_fingerprint
from anonduck.database.private_file import unfinished_beside
from anonduck.errors import (
    AnonduckError,
    ConfigError,
    ReleaseError,
    RequirementNotMet,
    RuleError,
    SearchCutShort,
)
from anonduck.evaluation.workload import workload_of
from anonduck.offer.candidates import Candidate, kept_offer
from anonduck.offer.choice import choose, count_valued, is_unscored, misses, scored_by, wider
from anonduck.offer.left_out import left_out_words
from anonduck.offer.nested_choice import expected_of_choice
from anonduck.release.by_recoding import method_origin, release_method, release_recoding, release_rule
from anonduck.release.existing import DECIDES_NOTHING, decisive_text, existing_release, refuse_uncomparable
from anonduck.release.job import check_target
from anonduck.release.kept_figures import refuse_rare_source
from anonduck.release.last_recoding import MISSED, keep_recoding, last_candidate, last_recoding
from anonduck.release.plan import ReleaseSettings
from anonduck.release.policy_floors import not_shown
from anonduck.release.rule_choice import release_rules
from anonduck.release.ways import refuse_config
from anonduck.report.described import Beside
from anonduck.report.report import write_report
from anonduck.rules.frontier import best_rule, objective
from anonduck.rules.rule import Rule, literal
from anonduck.rules.selection import Choice
from anonduck.search.expected import kept_expected
from anonduck.search.freshness import can_be_applied, found_otherwise, is_current, stale
from anonduck.search.job import discover
from anonduck.search.store import LastChoice, StoredDiscovery, last_choice, read_discovery, write_last_choice
from anonduck.search.stored_rules import discovered, rule_at, rule_levels
from anonduck.words import counted, summary_line
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    from anonduck.config.lock import Lock
    from anonduck.release.release import Release
    from anonduck.release.target import ReleaseTarget
    from anonduck.search.lattice.limits import Clock, SearchLimits
    from anonduck.taxonomy.kept import KeptTaxonomies


FAIL, OVERWRITE, SKIP = IF_EXISTS = ("fail", "overwrite", "skip")
SKIPPED = "skipped: the release that stands there is of the same records and the same config"
KEPT_RECODING = "the last recoding, kept while it meets the requirement"
KEPT = "the last choice, kept while it meets the requirement"
OTHER_CONFIG = "; the config has changed since"


@dataclass(frozen=True, repr=False)
class Run:
    """What ``run`` did.

    Attributes:
        discovered: whether it looked for rules.
        reason: why it took the rule, or the recoding.
        levels: those of the rule; empty by a method.
        rule: the rule, if the discovery has it.
        expected: by model, what is expected of people who are not in the release.
        release: what was written. One that was skipped, as it stood there already, is read from its owner's file, or
            without one from its receipt.
        report: the decision report beside it, where there is one.
        candidate: the candidate that was chosen, where several kinds of recodings were weighed.
        next_best: the one that would be chosen without it, where there is one and the choice was made now.
        wider: the one that shows most of the columns which it leaves out, where there is one.
        weighed_by: the name of what the config weighs choices by.
    """

    discovered: bool
    reason: str
    levels: Mapping[str, int]
    rule: Rule | None
    expected: Mapping[str, Mapping[str, Any]]
    release: Release
    report: str | None = None
    candidate: Candidate | None = None
    next_best: Candidate | None = None
    wider: Candidate | None = None
    weighed_by: str = "accuracy"

    def __repr__(self) -> str:
        """What it left out although it need not, what it chose and why, and what that reached."""
        made = self.release
        place = made.target if made.there else "not written"
        records = counted(made.rows, "record", "records")
        return summary_line("Run", [self.left_out, place, records, f"k {made.k:,}", self.reason])

    @property
    def left_out(self) -> str:
        """The columns that the choice leaves out although another candidate shows them, in words; else empty."""
        return left_out_words(self.candidate, self.wider)

    def as_json(self) -> dict[str, Any]:
        """The run as ``anonduck run --json`` prints it."""
        by_levels = {"id": None, "levels": dict(self.levels)} if self.levels else None
        rule = self.rule.as_json() if self.rule else by_levels
        release = self.release.as_json()
        return {
            "discovered": self.discovered,
            "skipped": self.release.skipped,
            "reason": self.reason,
            "rule": rule,
            "candidate": None if self.candidate is None else self.candidate.as_json(),
            "next_best": None if self.next_best is None else self.next_best.as_json(),
            "wider": None if self.wider is None else self.wider.as_json(),
            "expected": {model: dict(score) for model, score in self.expected.items()},
            "release": release,
            "report": self.report,
            "met": release["met"],
        }

    @property
    def beside(self) -> Beside:
        """What a report has to know to stand beside the release."""
        return Beside(self.release, self.candidate, self.expected, self.reason)


def run_project(
    workspace: Workspace,
    target: ReleaseTarget,
    *,
    if_exists: str = FAIL,
    reselect: bool = False,
    report: bool = True,
    keep_roots: bool = False,
    locked: bool = False,
    changes: Mapping[str, Any] | None = None,
    clock: Clock = monotonic,
) -> Run:
    """Release by the config's method or pinned rule, else the last choice if it still meets the requirement, else the
    best rule whose release is not refused; with ``locked`` by nothing but the lock file.

    A method keeps the recoding that it found last while that meets the requirement; ``reselect`` finds it anew.

    ``if_exists`` says what to do where a release stands at the target: ``overwrite`` it, ``fail``, or ``skip`` the run
    if it is what would be released now, and fail if not.
    ``changes`` are keys of the config to be taken instead: ``select``, and those of a discovery. With ``keep_roots``
    the release has the columns that its rule leaves out, as their root label. With ``report``, the decision report is
    written beside the release, if the discovery is of the source as it is. The time limit, by a ``clock`` of seconds,
    is one for the search and for what is expected of the rule together, from the end of the scan. Raises
    NoRuleMeetsRequirement with the nearest miss when no rule that was discovered meets the requirement, and
    SearchCutShort where the time was up before there were scored rules to choose among.
    """
    from anonduck.search.lattice.limits import SearchLimits

    changes = dict(changes or {})
    if locked:
        _refuse_choosing(reselect, changes)
    limits = SearchLimits(changes.get("time_limit") or workspace.config.time_limit, clock=clock)
    workspace = workspace.with_config(with_changes(workspace.config, {"select": changes.pop("select", None)}))
    lock = _lock(workspace) if locked else None
    asked = decisive_text(workspace, {**changes, "keep_roots": keep_roots, "lock": lock and lock.as_json()})
    if if_exists == SKIP:
        levels = _next_levels(workspace) if lock is None else lock.rule
        skipped = _skipped(workspace, target, asked, levels, lock, reselect=reselect)
        if skipped is not None:
            return skipped
    overwrite = if_exists == OVERWRITE
    check_target(workspace, target, overwrite=overwrite)
    if report:
        workspace.refuse_protected(*_report_files(target.receipt), kind=ReleaseError)
    workload_of(workspace)  # what is wrong with its queries is said before rules are searched
    made = ReleaseSettings(overwrite=overwrite, keep_roots=keep_roots, asked=asked)
    if locked:
        done = _released_by_lock(workspace, target, made)
    else:
        done = _released(workspace, target, made, reselect=reselect, changes=changes, limits=limits)
    done = replace(done, weighed_by=_weighed_by(workspace, done.expected))
    return replace(done, report=_report(workspace, done)) if report else done


def _weighed_by(workspace: Workspace, expected: Mapping[str, Mapping[str, Any]]) -> str:
    config = workspace.config
    if not config.chooses_among_candidates:
        return config.select
    return scored_by([Candidate("", RULES, {}, config.requirement.k, expected=expected)], config)


def read_if_exists(if_exists: str | None, *, overwrite: bool) -> str:
    """What to do with a release that stands there, by both arguments; raises ConfigError where they contradict."""
    if if_exists not in (None, *IF_EXISTS):
        raise ConfigError(f"`--if-exists {if_exists}` is none of {', '.join(map(repr, IF_EXISTS))}")
    if overwrite and if_exists not in (None, OVERWRITE):
        raise ConfigError(f"`--overwrite` and `--if-exists {if_exists}` contradict each other; give one of them")
    return OVERWRITE if overwrite else if_exists or FAIL


def _skipped(
    workspace: Workspace,
    target: ReleaseTarget,
    asked: str,
    next_levels: Mapping[str, int] | None,
    lock: Lock | None,
    *,
    reselect: bool,
) -> Run | None:
    """The run that need not be done, as the release that it would make stands there; None where none does."""
    if reselect:
        raise ConfigError("`--reselect` asks for a new choice, and `--if-exists skip` for none; give one of them")
    refuse_uncomparable(workspace)
    release = existing_release(workspace, target, asked, next_levels, lambda: _next_taxonomies(workspace, lock))
    if release is None:
        return None
    levels = dict((release.receipt["rule"] or {}).get("levels", {}))
    path, _ = _report_files(target.receipt)
    return Run(
        False, SKIPPED, levels, None, release.owner["expected"] or {}, release, str(path) if path.exists() else None
    )


def _next_levels(workspace: Workspace) -> Mapping[str, int] | None:
    """The levels of the rule that a run would take; None by a method, and where none is pinned or was chosen."""
    config = workspace.config
    if config.method != RULES:
        return None
    if config.rule is not None:
        return rule_levels(workspace, config.rule)[1]
    choice = last_choice(workspace.database)
    return choice.levels if choice is not None and choice.by_rule else None


def _next_taxonomies(workspace: Workspace, lock: Lock | None) -> KeptTaxonomies | None:
    """The taxonomies for a larger k that a run would take, as they were kept with what it releases by."""
    from anonduck.release.lock import locked_taxonomies

    if lock is not None:
        return locked_taxonomies(workspace, lock)
    last = last_candidate(workspace) if workspace.config.chooses_among_candidates else None
    return None if last is None else last[2]


def _lock(workspace: Workspace) -> Lock:
    from anonduck.config.lock import read_lock
    from anonduck.release.lock import lock_path

    return read_lock(lock_path(workspace))


def _released_by_lock(workspace: Workspace, target: ReleaseTarget, made: ReleaseSettings) -> Run:
    from anonduck.release.lock import REASON, release_locked

    return _run(workspace, REASON, release_locked(workspace, target, made))


def _refuse_choosing(reselect: bool, changes: Mapping[str, Any]) -> None:
    """Raise ConfigError for what chooses another rule than the locked one."""
    given = ["reselect"] if reselect else [name for name, value in changes.items() if value is not None]
    if given:
        raise ConfigError(f"the lock says what is released by; a locked run takes no {', '.join(given)}")


def _released(
    workspace: Workspace,
    target: ReleaseTarget,
    made: ReleaseSettings,
    *,
    reselect: bool,
    changes: Mapping[str, Any],
    limits: SearchLimits,
) -> Run:
    """``made`` says how the release is made, ``limits`` when to stop looking for a rule and measuring it."""
    refuse_config(workspace.config)
    if workspace.config.method != RULES:
        return _released_by_method(workspace, target, made, reselect=reselect)
    objective(workspace.config.select, changes.get("models") or workspace.config.models)
    if workspace.config.rule is not None:
        reason = "pinned by `rule:` in the config"
        release = release_rule(workspace, workspace.config.rule, target, replace(made, reason=reason))
        return _run(workspace, reason, release)
    if not reselect:
        kept = _keep_last_choice(workspace, target, made) or _keep_last_candidate(workspace, target, made)
        if kept is not None:
            return kept
    rules_alone = changes.get("search")
    if rules_alone and workspace.config.weighed_by == WORKLOAD:
        raise ConfigError(
            f"`--search {rules_alone}` chooses among rules alone, and `select: workload` among candidates; select by "
            "another measure, such as `--select accuracy`, or name no search"
        )
    if rules_alone and workspace.config.requirement.inference_gain is not None:
        raise RequirementNotMet(not_shown({"": f"inference_gain, by `--search {rules_alone}` among rules alone"}))
    refuse_rare_source(workspace)
    weighs_candidates = workspace.config.chooses_among_candidates and not rules_alone
    if weighs_candidates:
        return _released_by_candidate(workspace, target, made, changes, limits)
    stored, is_new = _discovery(workspace, changes, limits)
    if _is_unscored(workspace, stored):
        valued = f"had a value of {workspace.config.select!r}"
        scored = f"{_scored(workspace, stored)} of {len(stored.rules):,} rules {valued}"
        raise SearchCutShort(_cut_short(scored, limits))

    def release_by_choice(choice: Choice[Rule]) -> Release:
        expected = expected_of_rule(workspace, stored, choice.chosen, limits)
        chosen = replace(made, reason=choice.reason, chosen_by=choice.chosen_by)
        release = release_rule(workspace, choice.chosen.id, target, chosen)
        estimates = kept_expected(workspace.database)
        of = estimates.asked["content"] if estimates else ""
        kept = {"models": expected, "content": of}
        _keep_choice(workspace, choice.chosen.levels, kept, release)
        return release

    choice, release = release_rules(workspace, stored, release_by_choice)
    best, told = choice.chosen, release.owner["expected"] or {}
    return Run(is_new, choice.reason, best.levels, best, told, release)


def _released_by_method(workspace: Workspace, target: ReleaseTarget, made: ReleaseSettings, *, reselect: bool) -> Run:
    """Release by the last recoding of the config's method while that meets the requirement, else by one found anew."""
    name = workspace.config.method
    release = None if reselect else _by_last_recoding(workspace, target, made)
    reason = f"{KEPT_RECODING} (`--reselect` finds it anew)"
    if release is None:
        reason = f"by `method: {name}` in the config"
        release = release_method(workspace, name, target, replace(made, reason=reason, as_data=True))
        keep_recoding(workspace, release.recoding)
    _keep_choice(workspace, {}, {}, release)
    return Run(False, reason, {}, None, {}, release)


def _released_by_candidate(
    workspace: Workspace,
    target: ReleaseTarget,
    made: ReleaseSettings,
    changes: Mapping[str, Any],
    limits: SearchLimits,
) -> Run:
    """Release by the candidate that the config's ``select`` chooses, and keep it as the last choice.

    What methods find is measured before rules are searched: a first candidate is there sooner.
    """
    from anonduck.offer.offer import offer, offering
    from anonduck.release.candidate_release import release_candidate, release_candidates
    from anonduck.search.lattice.limits import FIRST

    names, given = workspace.config.offered, changes.get("models")
    models = workspace.config.models if given is None else given
    with offering(workspace, names, models, limits) as begun:
        stored, is_new = _discovery(workspace, changes, limits, FIRST, begun.find)
        candidates, tried = offer(workspace, stored, names, limits, begun), list[str]()
    if limits.over_time() and is_unscored(candidates, workspace.config):
        scored = f"{count_valued(candidates, workspace.config)} of {len(candidates):,} candidates had an expected score"
        raise SearchCutShort(_cut_short(scored, limits))

    def release_by_choice(choice: Choice[Candidate]) -> Release:
        tried.append(choice.chosen.id)
        given = replace(made, reason=choice.reason, chosen_by=choice.chosen_by, as_data=True)
        return release_candidate(workspace, choice.chosen, target, given)

    choice, release = release_candidates(workspace, candidates, release_by_choice)
    one, refused = choice.chosen, tried[:-1]
    told = expected_of_choice(one, [each for each in candidates if each.id not in refused], workspace.config)
    kept = {"models": told, "content": ""}
    _keep_choice(workspace, one.levels or {}, kept, release)
    keep_recoding(workspace, None if one.levels is not None else release.recoding, one, release.kept)
    rule = None if one.levels is None else stored.rule(one.id)
    other = choose([candidate for candidate in candidates if candidate.id != one.id], workspace.config)
    beside, more = None if other is None else other.chosen, wider(one, candidates, workspace.config)
    chosen = Run(is_new, choice.reason, one.levels or {}, rule, told, release, candidate=one)
    return replace(chosen, next_best=beside, wider=more)


def _keep_last_candidate(workspace: Workspace, target: ReleaseTarget, made: ReleaseSettings) -> Run | None:
    """Release by the recoding of the last candidate that is no rule; None where there is none that can be used."""
    if not workspace.config.chooses_among_candidates:
        return None
    from anonduck.release.candidate_release import release_candidate

    last = last_candidate(workspace)
    if last is None:
        return None
    one, recoding, kept = last
    if missed := misses(one, workspace.config.requirement):
        workspace.reporter.announce(f"the last choice {one.words} misses {', '.join(missed)}; selecting again")
        return None
    try:
        release = release_candidate(workspace, one, target, replace(made, reason=KEPT, kept=kept), recoding)
    except RequirementNotMet:
        workspace.reporter.announce(f"the last choice {one.words} no longer meets the requirement; selecting again")
        return None
    choice = last_choice(workspace.database)
    told = choice.expected.get("models") if choice is not None else one.expected
    more = _wider(workspace, one)
    return Run(False, _kept(workspace, choice), {}, None, told or {}, release, candidate=one, wider=more)


def _wider(workspace: Workspace, one: Candidate) -> Candidate | None:
    """The candidate of the last offer that shows most of the columns which the last choice leaves out, if there is
    one."""
    stored = read_discovery(workspace.database)
    return None if stored is None else wider(one, kept_offer(workspace, stored), workspace.config)


def _by_last_recoding(workspace: Workspace, target: ReleaseTarget, made: ReleaseSettings) -> Release | None:
    """The release by the last recoding; None where there is none, or where it no longer meets the requirement."""
    name, recoding = workspace.config.method, last_recoding(workspace)
    if recoding is None:
        return None
    try:
        kept = replace(made, reason=KEPT_RECODING)
        return release_recoding(workspace, recoding, method_origin(workspace, name), target, kept)
    except RequirementNotMet:
        workspace.reporter.announce(f"{MISSED.format(name)}; finding it anew")
        return None


def _report(workspace: Workspace, done: Run) -> str | None:
    """The file of the report; None where the rules are not those of the source, or it could not be written."""
    stored = read_discovery(workspace.database)
    if stored is not None and stale(workspace, stored, exactly=True):
        return None
    path, _ = _report_files(Path(done.release.receipt_path))
    try:
        return str(write_report(workspace, path, overwrite=True, beside=done.beside))
    except AnonduckError as error:
        workspace.reporter.announce(f"the report was not written: {error}")
        return None


def _report_files(receipt: Path) -> tuple[Path, Path]:
    """The report beside a receipt, and the temporary file that becomes it."""
    path = receipt.with_name(receipt.name.removesuffix(".receipt.json") + ".report.html")
    return path, unfinished_beside(path)


def _keep_last_choice(workspace: Workspace, target: ReleaseTarget, made: ReleaseSettings) -> Run | None:
    choice = last_choice(workspace.database)
    if choice is None or not choice.by_rule:
        return None
    levels = choice.levels
    if not can_be_applied(workspace, choice):
        workspace.reporter.announce(
            f"the role or the taxonomy of a column of the last choice {literal(levels)} changed; selecting again"
        )
        return None
    try:
        one = _measured_choice(workspace, choice)
        if missed := [] if one is None else misses(one, workspace.config.requirement):
            workspace.reporter.announce(
                f"the last choice {literal(levels)} misses {', '.join(missed)}; selecting again"
            )
            return None
        release = release_rule(workspace, levels, target, replace(made, reason=KEPT, offered=one))
    except RequirementNotMet:
        workspace.reporter.announce(
            f"the last choice {literal(levels)} no longer meets the requirement; selecting again"
        )
        return None
    except RuleError:
        workspace.reporter.announce(
            f"the last choice {literal(levels)} names levels that its taxonomies no longer have; selecting again"
        )
        return None
    done = _run(workspace, _kept(workspace, choice), release)
    told = choice.expected.get("models") if workspace.config.chooses_among_candidates and done.expected else None
    return replace(done, expected=told or done.expected)  # what was expected of the choice, not of this rule alone


def _keep_choice(
    workspace: Workspace, levels: Mapping[str, int], expected: Mapping[str, Any], release: Release
) -> None:
    write_last_choice(workspace.database, levels, expected, release.owner["method"], _chosen_by(workspace))


def _kept(workspace: Workspace, choice: LastChoice | None) -> str:
    """Why the last choice was taken, in words, and that another config might choose otherwise."""
    changed = choice is not None and choice.config != _chosen_by(workspace)
    return f"{KEPT}{OTHER_CONFIG if changed else ''} (`--reselect` selects again)"


def _chosen_by(workspace: Workspace) -> str:
    """What identifies the config that a choice is made by, wherever its source is."""
    config = workspace.written.model_dump(mode="json", by_alias=True, exclude={*DECIDES_NOTHING, "source"})
    return json_fingerprint(fingerprint_key(workspace.database), config)


def _measured_choice(workspace: Workspace, choice: LastChoice) -> Candidate | None:
    """The rule of the last choice as a candidate, where the config names something for the choice alone.

    Where it names nothing, the source is not counted for this; the default bound of inference held when it was chosen.
    """
    if not workspace.config.requirement.judges_choices:
        return None
    from anonduck.offer.offer import measured_rule

    return measured_rule(workspace, choice.levels, choice.expected.get("models") or {})


def _run(workspace: Workspace, reason: str, release: Release) -> Run:
    levels = dict((release.receipt["rule"] or {}).get("levels", {}))
    rule = rule_at(workspace, levels)
    return Run(False, reason, levels, rule, release.owner["expected"] or {}, release)


def _discovery(
    workspace: Workspace,
    changes: Mapping[str, Any],
    limits: SearchLimits,
    until: float = 1.0,
    prepared: Callable[[], None] | None = None,
) -> tuple[StoredDiscovery, bool]:
    """The stored discovery if it is one of the source and the config as they are, and has a rule; else a new one.

    Where rules were looked for in another way than the config asks for, that is what is used. A new one ends when
    ``until`` of the time is used, and does what is asked as soon as the source is ``prepared``.
    """
    given = {name: value for name, value in changes.items() if value is not None}
    stored = read_discovery(workspace.database)
    if stored is not None and is_current(workspace, stored, given) and not _is_of_no_use(workspace, stored):
        return stored, False
    discover(workspace, limits=limits, until=until, prepared=prepared, **given)
    return discovered(workspace), True


def _is_of_no_use(workspace: Workspace, stored: StoredDiscovery) -> bool:
    """Whether nothing can be selected of a discovery, and another one might find more."""
    return _is_unscored(workspace, stored) or _is_in_vain(workspace, stored)


def _is_unscored(workspace: Workspace, stored: StoredDiscovery) -> bool:
    """Whether the time was up before two rules had the measure by which one is selected, so that none was chosen.

    One rule at least is measured in any case, whatever it is.
    """
    return (stored.summary["cut"] or {}).get("by") == "time" and _scored(workspace, stored) < 2


def _scored(workspace: Workspace, stored: StoredDiscovery) -> int:
    read = objective(workspace.config.select, stored.summary["models"])
    return sum(read(rule) is not None for rule in stored.rules)


def _cut_short(scored: str, limits: SearchLimits) -> str:
    """Why nothing was chosen; ``scored`` says how many of the rules or candidates had a value."""
    return (
        f"the time limit of {limits.seconds:g} s, which starts after the scan, was up when {scored}: there "
        "was nothing to choose among, and nothing was written. Give the search more time (`--time-limit SECONDS`), or "
        "lock a rule (`anonduck lock RULE`) and run by it (`anonduck run -o FILE --locked`): no search"
    )


def _is_in_vain(workspace: Workspace, stored: StoredDiscovery) -> bool:
    """Whether no rule can be selected, and the search of the config might find one."""
    k = workspace.config.requirement.k
    best = best_rule(stored.rules, workspace.config.select, stored.summary["models"], k=k)
    return best is None and found_otherwise(workspace, stored)


def expected_of_rule(
    workspace: Workspace, stored: StoredDiscovery, rule: Rule, limits: SearchLimits | None = None
) -> dict[str, Any]:
    """What is expected of the selected rule, by model; measured now unless it was, of the same records."""
    from anonduck.evaluation.repeated_search import expected_now

    return dict(expected_now(workspace, stored, limits, every=False).get(literal(rule.levels), {}))
