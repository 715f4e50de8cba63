"""The opening of the report: the recommended rule and two neighbours, what each does to rows, and who is suppressed.

The example rows are made up, never rows of the source, and show nothing that few records hold. Each cell is drawn from
its column alone: a value that at least k records hold, or else the lowest group of values that k records hold. Columns
are drawn independently, so a row reveals nothing about anybody: the same rows come out however the columns are shuffled
against each other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.errors import RuleError
from anonduck.report.taxonomy_drawing import NO_VALUE, NULL_CODE, labelled_nodes, naming_people
from anonduck.rules.frontier import frontier_rules, objective
from anonduck.rules.measure_names import BY_MODEL, SHARES, UTILITY
from anonduck.rules.rule import Rule, literal
from anonduck.rules.selection import Choice, choose
from anonduck.search.store import StoredDiscovery
from anonduck.search.stored_rules import judge_of
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_frequency import code_column
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.paths import LOOKUP
from anonduck.workspace import Workspace

RELEASED, PINNED, FIRST = "released last", "pinned by `rule:` in the config", "the first that was found"
NONE_MEETS = "no rule that was found meets what is required; this one is the best of those there are"
ROWS = 3
NOTICEABLE = 0.01  # a rule that is better by less is not called more useful
ANY, RARE = "any value", "a group that few records name"


@dataclass(frozen=True)
class Offer:
    """A rule that suppresses more records than the config allows, and the share of suppression that would allow it."""

    share: float
    rule: Mapping[str, Any]


@dataclass(frozen=True)
class Recommendation:
    """A rule, why it is recommended, whether it has the required k, the measure it was chosen by, and its neighbours.

    ``safer`` is the best rule with a larger k. ``useful`` is better in the measure: a rule that still has the required
    k, or one that more suppression would allow.
    """

    rule: Rule
    reason: str
    meets: bool
    measure: str
    safer: Rule | None
    useful: Rule | Offer | None


def recommend(
    config: Config, stored: StoredDiscovery, keys: Sequence[str], released: Rule | None
) -> Recommendation | None:
    """The ``released`` or pinned rule, else the one that the config's ``select`` chooses; None without rules.

    ``keys`` are the measures that some rule has. A rule under the required k is recommended only if there is no other.
    """
    if not stored.rules:
        return None
    key, name = _measure(config, keys)
    rule, reason = _chosen(config, stored, name, released)
    meets = rule.measures.k >= config.requirement.k
    safer, useful = _neighbours(config, stored, rule, key)
    return Recommendation(rule, reason if meets else NONE_MEETS, meets, key, safer, useful)


def _measure(config: Config, keys: Sequence[str]) -> tuple[str, str]:
    """The measure that rules are chosen by, as its key and as in the config; the first measure if no rule has it."""
    name = config.select
    key = next((key for key in keys if name in (key, key.partition(".")[0])), None)
    return (keys[0], keys[0]) if key is None else (key, name)


def _chosen(config: Config, stored: StoredDiscovery, name: str, released: Rule | None) -> tuple[Rule, str]:
    k, models = config.requirement.k, stored.summary["models"]
    within = config.within_of_rules if name == config.select else None
    choices = (choose(stored.rules, name, models, k=least, within=within) for least in (k, 0))
    choice = next((one for one in choices if one is not None), Choice(stored.rules[0], FIRST, FIRST))
    for rule, reason in ((released, RELEASED), (_pinned(config, stored), PINNED)):
        if rule is not None and rule.measures.k >= k:
            return rule, f"{reason}; {choice.reason}" if rule.id == choice.chosen.id else reason
    return choice.chosen, choice.reason


def _pinned(config: Config, stored: StoredDiscovery) -> Rule | None:
    """The rule in the config, if it was found."""
    if config.rule is None:
        return None
    try:
        return stored.named(config.rule)
    except RuleError:
        return None


def _neighbours(
    config: Config, stored: StoredDiscovery, rule: Rule, key: str
) -> tuple[Rule | None, Rule | Offer | None]:
    """The nearest rules on the frontier of k and the measure, preferring those without ties.

    The more useful one is better by what a reader would notice; see ``_notably``.
    """
    models = stored.summary["models"]
    measured = objective(key, models)
    line = sorted(frontier_rules(stored.rules, ("k", key), models), key=lambda one: one.measures.k)
    above = [one for one in line if one.measures.k > rule.measures.k]
    safer = next((one for one in above if not one.tied_with), next(iter(above), None))
    required = range(config.requirement.k, rule.measures.k)
    below = [
        one
        for one in line
        if one.measures.k in required and not one.tied_with and _notably(key, measured(rule), measured(one))
    ]
    return safer, below[-1] if below else _offer(stored, rule, key, models)


def _offer(stored: StoredDiscovery, rule: Rule, key: str, models: Sequence[str]) -> Offer | None:
    """The best rule that the smallest share of suppression allows and that beats ``rule`` in the measure."""
    own = objective(key, models)(rule)
    if key.partition(".")[0] in UTILITY or own is None:
        return None
    for point in stored.summary.get("suppression_curve", ()):
        better = [
            one for one in point["rules"] if (found := _known(one, key) or 0.0) > own and _notably(key, own, found)
        ]
        if better:
            return Offer(point["suppression"], max(better, key=lambda one: _known(one, key) or 0.0))
    return None


def _notably(key: str, own: float | None, other: float | None) -> bool:
    """Whether two values of a measure differ by a point, for scores and shares, or by a hundredth of the first."""
    if own is None or other is None:
        return True
    return abs(other - own) >= NOTICEABLE * (1.0 if key.partition(".")[0] in (*BY_MODEL, *SHARES) else abs(own))


def _known(found: Mapping[str, Any], key: str) -> float | None:
    """A measure of a rule of the suppression curve, None if not measured; larger is better for all of them."""
    name, _, model = key.partition(".")
    value = found.get(name)
    known = value.get(model) if isinstance(value, Mapping) else value
    return None if known is None else float(known)


def decision_of(workspace: Workspace, stored: StoredDiscovery, advice: Recommendation) -> dict[str, Any]:
    """The decision as JSON: its ``options`` (the recommended rule first), and ``examples`` of what each does to rows.

    An option is a rule of the page, by ``id``, or one that more suppression would allow, with what is known of it.
    """
    options = [
        _option("recommended", advice.rule),
        *([_option("safer", advice.safer)] if advice.safer else []),
        *([_option("useful", advice.useful)] if advice.useful else []),
    ]
    levels = [option["levels"] for option in options]
    k, taxonomies = workspace.config.requirement.k, _attributes(workspace, stored)
    for option in options:
        option["left_out"] = _left_out(workspace, stored, option)
    return {
        "measure": advice.measure,
        "reason": advice.reason,
        "meets": advice.meets,
        "options": options,
        "examples": made_up_rows(workspace.database, taxonomies, levels, k),
    }


def _attributes(workspace: Workspace, stored: StoredDiscovery) -> dict[str, Any]:
    """The taxonomies of the quasi-identifiers of the discovery."""
    known = workspace.taxonomies
    return {name: known[name] for name in stored.settings["nodes"]}


def _option(kind: str, of: Rule | Offer) -> dict[str, Any]:
    if isinstance(of, Rule):
        known = {"id": of.id, "k": of.measures.k, "classes": of.measures.classes, "suppressed": of.measures.suppressed}
        return {"kind": kind, "levels": dict(of.levels), "literal": literal(of.levels), "share": None, **known}
    found = {name: of.rule[name] for name in ("levels", "literal", "k", "classes", "suppressed")}
    return {"kind": kind, "id": None, "share": of.share, **found}


def _left_out(workspace: Workspace, stored: StoredDiscovery, option: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The records that an option suppresses, by column; empty if there are none, or others than when it was found."""
    if not option["suppressed"]:
        return []
    judge = judge_of(workspace, stored, suppression=option["share"])
    try:
        stays = judge.kept(judge.space.vector(option["levels"]), option["suppressed"])
        found = left_out_by_column(
            workspace.database,
            workspace.taxonomies,
            option["levels"],
            stays,
            workspace.config.requirement.k,
        )
    finally:
        judge.forget()
    return found if all(_left(one) == option["suppressed"] for one in found) else []


def _left(column: Mapping[str, Any]) -> int:
    return int(sum(left for _, _, left in column["groups"]) + column["others"])


Picked = tuple[int, list[tuple[str, str | None]]]
Labels = Mapping[tuple[str, int, int], list[tuple[str, str | None]]]


def made_up_rows(
    database: Database, taxonomies: Mapping[str, Taxonomy], rules: Sequence[Mapping[str, int]], k: int
) -> dict[str, Any]:
    """Three made-up rows as JSON: their ``columns``, the cells ``before``, and ``after`` each of the rules.

    A cell after a rule is None if the rule drops the column. No cell holds a value, or a label of a group, that fewer
    than ``k`` records hold, or of a column whose texts name people.
    """
    before: list[list[str]] = [[] for _ in range(ROWS)]
    after: list[list[list[str | None]]] = [[[] for _ in range(ROWS)] for _ in rules]
    hidden = naming_people(database, taxonomies)
    known = _picked(database, {name: one for name, one in taxonomies.items() if name not in hidden}, k)
    found = {name: known.get(name, (one.root, [])) for name, one in taxonomies.items()}
    labels = _over_picked(database, taxonomies, {name: level for name, (level, _) in found.items()}, rules, k)
    for place, (name, taxonomy) in enumerate(taxonomies.items()):
        level, picked = found[name]
        shown = [_shown(taxonomy, level, rule.get(name), labels) for rule in rules]
        for row in range(ROWS):
            at = (row + place) % ROWS
            before[row].append(_cell_text(level, picked, at))
            for number, cells in enumerate(shown):
                after[number][row].append(cells[at] if cells else None)
    return {"columns": list(taxonomies), "before": before, "after": after}


def _picked(database: Database, taxonomies: Mapping[str, Taxonomy], k: int) -> dict[str, Picked]:
    """By column the lowest level with a node of k records, and the three nodes picked there; none of a column without
    such a level."""
    found: dict[str, Picked] = {}
    for level in range(max((one.root for one in taxonomies.values()), default=0)):
        left = [(name, level, level) for name, one in taxonomies.items() if name not in found and level < one.root]
        found |= {name: (level, values) for (name, _, _), values in _values(database, left, k).items() if values}
    return found


def _over_picked(
    database: Database,
    taxonomies: Mapping[str, Taxonomy],
    picked: Mapping[str, int],
    rules: Sequence[Mapping[str, int]],
    k: int,
) -> Labels:
    """What rules show over the nodes that were picked at a level of each column."""
    return _values(
        database,
        {
            (name, picked[name], max(picked[name], rule[name]))
            for name, one in taxonomies.items()
            for rule in rules
            if name in rule and max(picked[name], rule[name]) < one.root
        },
        k,
    )


def _cell_text(level: int, picked: Sequence[tuple[str, str | None]], at: int) -> str:
    if not picked:
        return ANY
    return picked[at][0] if level == 0 else f"one of {picked[at][0]}"


def _shown(taxonomy: Taxonomy, picked: int, level: int | None, labels: Labels) -> list[str]:
    """What a rule shows for the three picked nodes; empty if it drops the column."""
    if level is None or level >= taxonomy.root:
        return []
    found = labels.get((taxonomy.column, picked, max(picked, level)), [])
    if level < picked:
        return [_cell_text(picked, found, at) for at in range(ROWS)]
    return [label if label is not None else RARE for _, label in found] or [ANY] * ROWS


def _values(database: Database, places: Collection[tuple[str, int, int]], k: int) -> Labels:
    """The three nodes that are picked of a column at a level, with the nodes over them at another, by all three."""
    queries = {
        (column, picked, level): statement(
            "report/example_values.sql",
            table={"lookup": (LOOKUP, column)},
            column={
                "picked": f"code_{picked}",
                "before": _label(picked),
                "shown": f"code_{level}",
                "after": _label(level),
            },
        )
        for column, picked, level in sorted(places)
    }
    found = database.rows_of_each(queries, {"k": k})
    return {key: [(value, label) for _, value, label in sorted(rows, key=itemgetter(0))] for key, rows in found.items()}


def _label(level: int) -> str:
    return f"level_{level}" if level else "value"


@dataclass(frozen=True)
class LeftOutGroup:
    """A group of records as a rule shows it: its label (None if it must stay hidden), its records, the
    suppressed ones.
    """

    label: str | None
    records: int
    left_out: int


def left_out_by_column(
    database: Database, taxonomies: Mapping[str, Taxonomy], levels: Mapping[str, int], stays: str, k: int
) -> list[dict[str, Any]]:
    """For each released column, the suppressed records by what the rule shows.

    ``groups`` are the disclosable ones, by falling share suppressed, ``others`` the suppressed records of all
    other groups. ``stays`` names the coded frequency set of the records that the rule keeps. No number from 1 to k - 1
    is disclosed, or follows by subtraction. If fewer than k records are suppressed in all, no group is disclosed.
    """
    found, hidden = [], naming_people(database, levels)
    for name, level in levels.items():
        groups = _groups(database, taxonomies[name], level, stays, k, name in hidden)
        shown, others = disclosable_groups(groups, k)
        found.append(
            {
                "column": name,
                "groups": [[one.label, one.records, one.left_out] for one in shown],
                "others": others,
            }
        )
    return found


def disclosable_groups(groups: Sequence[LeftOutGroup], k: int) -> tuple[list[LeftOutGroup], int]:
    """The groups that may be disclosed, by falling share suppressed, and the suppressed records of all others.

    A group may be disclosed if it has a label and at least k of its records are suppressed. If the others then have
    some but fewer than k suppressed records, the smallest disclosed groups join them until they have k.
    """
    shown = sorted((one for one in groups if one.label is not None and one.left_out >= k), key=lambda one: one.left_out)
    others = sum(one.left_out for one in groups) - sum(one.left_out for one in shown)
    while shown and 0 < others < k:
        others += shown.pop(0).left_out
    shown.sort(key=lambda one: (-one.left_out / one.records, -one.left_out, str(one.label)))
    return shown, others


def _groups(database: Database, taxonomy: Taxonomy, level: int, stays: str, k: int, hidden: bool) -> list[LeftOutGroup]:
    query = statement(
        "report/left_out.sql",
        column={"shown": code_column(taxonomy.column, level)},
        table={"coded": stays},
    )
    nodes = labelled_nodes(database, {taxonomy: [level]}, k, [taxonomy.column] if hidden else [])
    labels = {node.code: node.label for node in nodes[taxonomy.column, level]}
    return [
        LeftOutGroup(NO_VALUE if node == NULL_CODE and records >= k else labels.get(node), records, left_out)
        for node, records, left_out in database.rows(query)
    ]
