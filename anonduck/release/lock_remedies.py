"""What would do where the records are not as they were locked: values to add, or a coarser rule to lock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from shlex import quote

from anonduck.config.lock import Lock
from anonduck.database.progress import Reporter
from anonduck.errors import AnonduckError
from anonduck.frequency.frequency_set import check_mapped, make_lookup
from anonduck.measures.requirement import requirement_of
from anonduck.methods.recodings import Levels
from anonduck.release.by_recoding import Origin, release_recoding
from anonduck.release.plan import ReleaseSettings
from anonduck.release.recoder import RELEASE_SET
from anonduck.rules.rule import RuleSpace, literal
from anonduck.statements.builder_database import schema
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.words import counted
from anonduck.workspace import Workspace

MOST_TRIED = 24


def unseen_values(workspace: Workspace, lock: Lock) -> str:
    """How many values, by column, no locked taxonomy knows."""
    database, stored, unknown = workspace.database, workspace.taxonomies, []
    names = [name for name in lock.taxonomies if name in workspace.roles.quasi_identifiers]
    workspace.source.engine.frequency_set(names, RELEASE_SET)
    database.run(schema(LOOKUP_SCHEMA))
    for name in names:
        make_lookup(database, stored[name], frequency=RELEASE_SET, target=(LOOKUP_SCHEMA, name))
    found = check_mapped(database, {name: stored[name] for name in names}, schema=LOOKUP_SCHEMA, refuse=())
    for name, counts in found.items():
        if counts["values"]:
            unknown.append(f"{name!r} {counts['values']:,} in {counted(counts['records'], 'record', 'records')}")
    words = f"Values unknown to what is locked: {', '.join(unknown)}. " if unknown else ""
    return f"{words}Once they are in the taxonomies, lock again (`anonduck lock RULE`)"


def coarser_rule(workspace: Workspace, lock: Lock) -> str:
    """A coarser rule that meets the requirement, in words; the nearest of some."""
    if lock.rule is None:
        return "What is locked stays as it is: require less and lock again, or keep the earlier release"
    quiet = workspace.with_reporter(Reporter())
    for levels in coarser(workspace, lock.rule):
        try:
            made = release_recoding(quiet, Levels(levels), Origin(), None, ReleaseSettings(dry_run=True))
        except AnonduckError:
            continue
        if all(line["met"] for line in made.receipt["requirements"]):
            text = literal(levels)
            return f"{text} would meet it now (k = {made.k:,}): `anonduck lock {quote(text)}` locks that rule"
    return "None of the coarser rules that were tried meets it; `anonduck discover` looks at others"


def coarser(workspace: Workspace, levels: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Coarser rules, the nearest first: one column raised by one level, by two and so on, then all columns together.

    Columns that must stay are not raised over what they may have; a rule keeps at least one column.
    """
    requirement, stored = requirement_of(workspace.config, workspace.folder), workspace.taxonomies
    roots = {name: stored[name].root for name in levels}
    space = RuleSpace.keeping(roots, {name: cap for name, cap in requirement.keep.items() if name in roots})
    caps = dict(zip(space.attributes, space.coarsest, strict=True))
    raised = {name: range(level + 1, caps[name] + 1) for name, level in levels.items()}
    single = sorted((level - levels[name], name, level) for name, above in raised.items() for level in above)
    ways = [{**levels, name: level} for _, name, level in islice(single, MOST_TRIED)]
    highest = max(caps[name] - level for name, level in levels.items())
    together = (
        {name: min(level + more, caps[name]) for name, level in levels.items()} for more in range(1, highest + 1)
    )
    for way in chain(ways, together):
        named = {name: level for name, level in way.items() if level < roots[name]}
        if named:
            yield named
