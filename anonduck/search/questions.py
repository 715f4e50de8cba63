"""The SQL that answers a question about a project, ready for a DuckDB shell on its decision database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anonduck.errors import ConfigError, RuleError
from anonduck.frequency.patterns import counted_pairs
from anonduck.measures.judge import KEPT
from anonduck.measures.measures import CODED
from anonduck.measures.requirement import Requirement, requirement_of
from anonduck.rules.rule import check_levels, literal
from anonduck.search.freshness import refuse_changed, tell_stale
from anonduck.search.stored_rules import discovered, judge_of, rule_levels
from anonduck.source.engine import counted_source
from anonduck.statements import Statement, load, statement
from anonduck.statements.literals import pasteable
from anonduck.statements.pipeline.column_names import code_column
from anonduck.workspace import Workspace

JOINED_CELLS = "joined_cells"

Step = tuple[Statement, Mapping[str, Any]]  # a statement and its parameters
Steps = list[Step]


@dataclass(frozen=True)
class RuleRows:
    """A rule and the rows of the decision database that it is measured on: ``kept`` makes those, where some go."""

    levels: Mapping[str, int]
    attributes: tuple[str, ...]
    rows: str
    kept: tuple[Step, ...] = ()

    @property
    def queries(self) -> dict[str, Any]:
        """What queries over the rule's node codes bind."""
        return {"columns": {"attributes": list(self.attributes)}, "table": {"coded": self.rows}}


def question_sql(workspace: Workspace, of: str, rule: str | Mapping[str, int] | None) -> str:
    """The statements that answer a question, each under comments that say what it is.

    Raises ConfigError for a question that is not known, that lacks its rule or takes none, and RuleError for a rule
    that is not that of what the decision database holds.
    """
    if of not in OF_RULE and of not in OF_PROJECT:
        known = ", ".join((*OF_PROJECT, *OF_RULE, "release"))
        raise ConfigError(
            f"there is no SQL of {of!r}; there is that of {known}. Scores of models are not SQL: what they are trained "
            "on is `contingency`"
        )
    if of in OF_PROJECT:
        if rule is not None:
            raise ConfigError(f"the SQL of {of} takes no rule; leave it out")
        return _written(f"{of}.", OF_PROJECT[of](workspace))
    if rule is None:
        raise ConfigError(f"the SQL of {of} takes a rule; name one, such as R12 or age=3")
    measured = _rule_rows(workspace, rule)
    answer, steps = OF_RULE[of](measured)
    return _written(f"{of} of {literal(measured.levels)}: {answer}", [*measured.kept, *steps])


def refuse_of_release(of: str, given: Mapping[str, Any]) -> None:
    """Raise ConfigError if arguments are given that the SQL of a release alone takes."""
    if given:
        named = ", ".join(f"`{name}={value!r}`" for name, value in given.items())
        raise ConfigError(f"only the SQL of a release takes {named}, not that of {of}; leave it out")


def _rule_rows(workspace: Workspace, rule: str | Mapping[str, int]) -> RuleRows:
    stored = discovered(workspace)
    refuse_changed(workspace, stored)
    identifier, levels = rule_levels(workspace, rule)
    if identifier is None:
        tell_stale(workspace, stored)
    judge = judge_of(workspace, stored)
    space = judge.space
    vector = space.vector(check_levels(levels, dict(zip(space.attributes, space.roots, strict=True))))
    named = space.named(vector)
    if space.is_under_floor(vector):
        raise RuleError(
            f"{literal(named)} has levels under the floor that the discovery started at, "
            f"{literal(stored.summary['floor'])}, and the decision database does not tell those apart. Set a larger "
            "`engine: {max_cells: N}` and run `anonduck discover` again; a release of the rule needs neither"
        )
    codes = tuple(code_column(name, level) for name, level in named.items())
    if identifier is not None:
        requirement, whole = judge.requirement, not stored.rule(identifier).measures.suppressed
    else:
        requirement = requirement_of(workspace.config, workspace.folder)
        whole = not requirement.suppression
    if whole:
        return RuleRows(named, codes, CODED)
    return RuleRows(named, codes, KEPT, (_kept(codes, requirement),))


def _kept(codes: tuple[str, ...], requirement: Requirement) -> Step:
    """The statement that makes the rows that stay; raises ConfigError where no single one does."""
    if not requirement.only_k:
        raise ConfigError(
            f"the rule leaves out the classes that fail {requirement.text}, one round after the other, which no single "
            "query does; `anonduck discover` runs them, and can show them as it does"
        )
    query = statement("measures/kept_by_size.sql", columns={"attributes": list(codes)}, table={"kept": KEPT})
    return query, {"k": requirement.k}


# -- questions about a rule --------------------------------------------------------------------------------------------

Answer = tuple[str, Steps]


def _k(rule: RuleRows) -> Answer:
    return "the column k.", [_measured(rule)]


def _classes(rule: RuleRows) -> Answer:
    return "the column classes.", [_measured(rule)]


def _entropy(rule: RuleRows) -> Answer:
    if rule.kept:
        answer = "the information gain is prior_bits - kept_share * conditional_entropy."
        before = statement("measures/kept_prior.sql", table={"coded": rule.rows})
    else:
        answer = "the information gain is entropy - conditional_entropy."
        before = statement("measures/totals.sql", table={"coded": rule.rows})
    return answer, [(before, {}), _measured(rule)]


def _measured(rule: RuleRows) -> Step:
    return statement("measures/rule.sql", **rule.queries), {}


def _contingency(rule: RuleRows) -> Answer:
    return "what models are trained on.", [(statement("measures/contingency.sql", **rule.queries), {})]


# -- questions about the source ----------------------------------------------------------------------------------------


def _frequency_set(workspace: Workspace) -> Steps:
    source, roles = workspace.source, workspace.roles
    if not source.relation_sql:
        raise ConfigError(
            "the source is no file that SQL can name; its frequency set is the table frequency_set of the decision "
            "database, once `anonduck discover` has run"
        )
    columns = list(dict.fromkeys([*roles.quasi_identifiers, roles.class_]))
    steps: Steps = [(counted_source(columns, source.relation_sql), {})]
    return [(Statement("builder_database.attach", source.opening_sql), {}), *steps] if source.opening_sql else steps


def _patterns(workspace: Workspace) -> Steps:
    stored = discovered(workspace)
    refuse_changed(workspace, stored)
    tell_stale(workspace, stored)
    tables = workspace.database.rows(statement("source/tables.sql"), {"database": workspace.database.catalog})
    unjoined = stored.summary["pairs"] is None  # whose tables may stand beside those of an earlier search
    if unjoined or ("main", JOINED_CELLS) not in tables:
        raise ConfigError("no pairs of records were joined; run `anonduck discover --search rfd` first")
    roots = {name: len(nodes) - 1 for name, nodes in stored.settings["nodes"].items()}
    return [(counted_pairs(roots), {})]


OF_RULE: Mapping[str, Callable[[RuleRows], Answer]] = {
    "k": _k,
    "classes": _classes,
    "entropy": _entropy,
    "information-gain": _entropy,
    "contingency": _contingency,
}
"""The questions about a rule; the release of one is written by ``anonduck.release.script_text``."""

OF_PROJECT: Mapping[str, Callable[[Any], Steps]] = {"frequency-set": _frequency_set, "patterns": _patterns}
"""The questions about all records."""


# -- writing -----------------------------------------------------------------------------------------------------------


def _written(head: str, steps: Steps) -> str:
    return "\n\n".join([_comment(head), *(_step(query, given) for query, given in steps)]) + "\n"


def _step(query: Statement, given: Mapping[str, Any]) -> str:
    about = [_comment(query.origin)]
    if query.name.endswith(".sql"):
        lines = load(query.name).header.splitlines()
        about += [line for line in lines if not line.startswith("-- Binds:")]
    return "\n".join([*about, f"{pasteable(query, given)};"])


def _comment(text: str) -> str:
    return "-- " + " ".join(text.splitlines())
