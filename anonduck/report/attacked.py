"""Attacks on a release for its owner's certificate, against a control group that is drawn from the source.

All people of the source are in the release, so that nobody is left to compare them with. Two groups of them are drawn:
one is released in the same way, the other is the control group.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anonduck.attacks.attack import attack_files
from anonduck.attacks.intruder import AttackedFiles
from anonduck.attacks.plan import AttackOptions
from anonduck.attacks.rates import Rate
from anonduck.config.ways import BOUND_TEXT
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import AnonduckError
from anonduck.frequency.copies import in_memory
from anonduck.methods.recodings import Levels
from anonduck.release.by_recoding import Origin, method_origin, release_recoding
from anonduck.release.plan import ReleaseSettings
from anonduck.release.target import target_of
from anonduck.report.evidence import Evidence
from anonduck.source.engine import DRAWN, DuckDBSource
from anonduck.statements import line, statement
from anonduck.words import counted
from anonduck.workspace import Workspace

GUESSES = 500
"""People attacked in each group at most."""
MOST = 10_000
"""People in each group at most."""

ANY_SHARE = 0.999
NOT_DRAWN = {"where", "types", "csv", "dates", "expected_types"}
"""What says how the source is read; drawn records were read so before."""


def attacks_on(workspace: Workspace, evidence: Evidence) -> dict[str, Any]:
    """What attacks find, as ``attack(...).as_json()`` has it; ``untried`` says why nothing was attacked, where that is
    so."""
    try:
        with TemporaryDirectory(prefix="anonduck-") as folder, in_memory(workspace.with_reporter(Reporter())) as own:
            source = None if evidence.in_engine else own.source.engine
            if not isinstance(source, DuckDBSource):
                return {"untried": "the release was not attacked: its source stays in an engine"}
            return _attacked(own, source, evidence, Path(folder))
    except AnonduckError as error:
        return {"untried": f"the release could not be attacked: {error}"}


def _attacked(own: Workspace, source: DuckDBSource, evidence: Evidence, folder: Path) -> dict[str, Any]:
    receipt = evidence.receipt
    inside, outside, share = _groups(own, source, folder)
    released = folder / "released.parquet"
    by_role = _by_role(_release(own, evidence, inside, released, share))
    options = AttackOptions(
        by_role.get("quasi-identifier", []),
        sensitive=by_role.get("sensitive", []),
        class_=next(iter(by_role.get("class", [])), None),
        insensitive=by_role.get("insensitive", []),
        taxonomies=_lookups(own, by_role.get("quasi-identifier", [])),
        seed=own.config.seed,
        splink=False,
        guesses=GUESSES,
    )
    with closing(Database(threads=own.config.threads, memory_limit=own.config.memory_limit)) as work:
        found = attack_files(work, AttackedFiles(released, inside, outside, None, disjoint=True), options).as_json()
    people = counted(found["records"]["original"], "record", "records")
    controls = counted(found["records"]["control"], "record", "records")
    drawn = (
        f"{people} drawn from the source were released in the same way, and attacked beside {controls} of other people "
        "that were left out"
    )
    smaller = (
        "classes of so few are smaller than those of the release, so that these figures are rather too high"
        if receipt["rule"] is not None
        else "the same k was reached for them alone: among fewer people a class has records that are less alike "
        "than in the release, so that less is inferred"
    )
    tried = min(GUESSES, found["records"]["original"])
    low, high = Rate(tried / 2, tried).interval
    width = (
        f"at most {tried:,} of each group were attacked: 95 % intervals reach at most {(high - low) / 2:.1%} either way"
    )
    notes = [drawn, smaller, width]
    unseen = [name for name in _by_role(receipt)["quasi-identifier"] if name not in by_role["quasi-identifier"]]
    if unseen:
        notes.append(
            f"for so few the method shows nothing of {', '.join(unseen)}: what these columns reveal in the release was "
            "not attacked"
        )
    return {**found, "file": evidence.name, "notes": [*notes, *found["notes"]]}


def _by_role(receipt: Mapping[str, Any]) -> dict[str, list[str]]:
    """The columns of the source that a release shows, by role."""
    found: dict[str, list[str]] = {"quasi-identifier": []}
    for column in receipt["columns"]:
        names, name = found.setdefault(column["role"], []), column.get("of", column["name"])
        names += [] if name in names else [name]
    return found


def _groups(own: Workspace, source: DuckDBSource, folder: Path) -> tuple[Path, Path, float]:
    """The files of two groups of people, and the share of the source that is in the first."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    entity = own.written.entity
    records = source.count()
    source.draw(2 * MOST, own.config.seed, None if entity is None else entity.column)
    drawn = own.database.arrow(statement("database/whole.sql", table={"held": "drawn_records"}))
    own.database.drop(DRAWN)
    columns = [column.name for column in own.source.columns]
    files = []
    for number, name in enumerate(("inside", "outside")):
        group = drawn.filter(pc.equal(drawn["#group"], number)).select(columns)
        files.append(folder / f"{name}.parquet")
        pq.write_table(group, files[-1])
        if number == 0:
            share = group.num_rows / records
    return files[0], files[1], share


def _release(own: Workspace, evidence: Evidence, inside: Path, path: Path, share: float) -> Mapping[str, Any]:
    """Release the first group as the file was released: by its rule, at a k that is as much smaller as the group, or
    by what its method finds for the group at the same k; returns the receipt."""
    receipt, target = evidence.receipt, target_of(path.name, path.parent)
    config = own.written.model_copy(
        update={"bounds": BOUND_TEXT, "models": [], "workload": None, "subgroups": [], "policy": None, "split_by": None}
        | {name: type(own.written).model_fields[name].get_default(call_default_factory=True) for name in NOT_DRAWN}
    )
    required = _required(receipt, config.requirement.k)
    if receipt["rule"] is not None:
        plain = type(config.requirement)(k=config.requirement.k)
        made = own.with_config(config.model_copy(update={"requirement": plain}))
        k = max(1, round(required * share))
        settings = ReleaseSettings(export=str(inside), requirement={"k": k, "suppression": ANY_SHARE})
        levels = Levels(dict(receipt["rule"]["levels"]))
        return release_recoding(made, levels, Origin(), target, settings).receipt
    method = receipt["method"]
    shows = (receipt.get("recoding") or {}).get("shows")
    settings = ReleaseSettings(export=str(inside), requirement={"k": required}, show=shows, judges_choice=False)
    made = own.with_config(config)
    origin = method_origin(made, method["name"], method["options"])
    return release_recoding(made, None, origin, target, settings).receipt


def _required(receipt: Mapping[str, Any], configured: int) -> int:
    """The k that the release had to reach, in the model of its method: swapped values have another than k."""
    models = (receipt["method"] or {}).get("model") or {}
    own = [int(value) for name, value in models.items() if name.endswith("_k")]
    asked = [one["required"] for one in receipt["requirements"] if one["name"] == "k"]
    return next(iter([*own, *asked]), configured)


def _lookups(own: Workspace, columns: list[str]) -> dict[str, Any]:
    """The taxonomies of the release, as tables of text."""
    stored, text = own.taxonomies, 'SELECT columns(*)::VARCHAR FROM "taxonomy"."{name}"'
    return {
        name: own.database.frame(line("report/attacked._lookups", text, name=name))
        for name in columns
        if name in stored
    }
