"""Whole jobs as processes: `anonduck run` on ARX's Adult beside ARX's whole job, and what commands cost.

Adult (30,162 records, 8 quasi-identifiers, ARX's hierarchies) by its optimum in loss, and Adult 166 times to CSV. `run`
also audits what it writes, and writes receipt, dictionary and report; ARX reads, searches and writes a CSV file.

With ``--arx COMMAND`` both sides run by turns. In the command, {table}, {hierarchies} (a folder), {k}, {suppression}
and {output} are replaced, such as

    --arx 'java -cp libarx-3.9.2.jar:. Whole {table} {hierarchies} {k} {suppression} {output}'

after ``javac -cp libarx-3.9.2.jar Whole.java``, with ARX's jar or what its sources compile to.

Without it, ARX's figures are those of version 3.9.2 on Java 17 and two idle cores, measured by turns with an earlier
version of anonduck. Ratios of seconds on a busy machine say nothing then.

``models`` runs the first two cases with a tree, and ``default`` what `init` proposes for Adult, Bank and customers.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import adult
import lattice
import measuring
import synthetic

MEGABYTE = 1 << 20
COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}
"""Python keeps what it compiles, as it does unless it is told not to."""
FEW = 300
"""Records of the table on which any release and audit shows what it costs at least."""


@dataclass(frozen=True)
class Case:
    """A table, what is required of its release, and ARX's figures: processor seconds, seconds, megabytes."""

    rows: int
    k: int
    suppression: float
    arx: tuple[float, float, float]

    @property
    def name(self) -> str:
        """What the case is called."""
        return f"{self.rows:,} rows, k = {self.k:,}, {self.suppression:.0%} may be left out"


CASES = {
    "none": Case(30_162, 5, 0.0, (2.88, 1.60, 342)),
    "five": Case(30_162, 5, 0.05, (3.97, 2.28, 364)),
    "large": Case(5_000_000, 825, 0.05, (15.1, 11.7, 2397)),
}
DEFAULTS = {"adult": ("adult.csv", "class"), "bank": ("bank-full.csv", "y"), "customers": (None, "left")}
"""Tables of `init`'s proposals and their class; the customers are made up, so many."""
CUSTOMERS = 200_000
STATEMENTS = 200
"""So many statements a whole job may issue."""
TARGETS = (("processor seconds", 0.6), ("seconds", 0.6), ("peak memory", 0.5))
COMMANDS = {
    "anonduck --help": (["--help"], 0.12, None),
    "frontier": (["frontier"], 0.25, 90),
    "rules": (["rules"], 0.25, 90),
    f"audit of {FEW} records": (["audit", "few.csv"], 0.3, None),
    f"release of {FEW} records": (["release", "age=2,sex=0", "-o", "few-out.csv", "--overwrite"], 0.6, None),
}
"""Arguments of commands in the folder of the first case, and the most that they may take: processor seconds, MB."""


def main() -> None:
    """Run the cases that are named, and the commands."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("cases", nargs="*", metavar="CASE", default=[*CASES, *OTHERS], help=f"of {[*CASES, *OTHERS]}")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--arx", metavar="COMMAND", help="what runs ARX's whole job; see above")
    options = parser.parse_args()
    for name in options.cases:
        if name in OTHERS:
            OTHERS[name](options.times)
        else:
            compare(CASES[name], options.times, options.arx)


def compare(case: Case, times: int, arx: str | None) -> None:
    """Run one case, by turns with ARX where it is there, and print ratios of medians."""
    home = folder(case)
    theirs: list[measuring.Finished] = []
    run(home), measuring.process(arx_command(arx, case, home)) if arx else None
    ours = []
    for _ in range(times):
        ours.append(run(home, "--json"))
        if arx:
            theirs.append(measuring.process(arx_command(arx, case, home)))
    released = json.loads(ours[-1].output)["release"]
    print(f"{case.name}: k = {released['k']:,}, {released['classes']:,} classes, {released['suppressed']:,} left out")
    found = figures(ours)
    against = figures(theirs) if theirs else case.arx
    print(f"  anonduck {found[0]:.2f} CPU s, {found[1]:.2f} s, {found[2]:,.0f} MB")
    print(
        f"  ARX      {against[0]:.2f} CPU s, {against[1]:.2f} s, {against[2]:,.0f} MB{'' if theirs else ' (not run)'}"
    )
    for (what, most), one, other in zip(TARGETS, found, against, strict=True):
        measuring.report(f"  ours / ARX, {what}", one / other, "", most)
    measuring.report("  statements", statements(home), "", STATEMENTS)


def figures(runs: Sequence[measuring.Finished]) -> tuple[float, float, float]:
    """Medians of processor seconds, seconds and megabytes."""
    reads: tuple[Callable[[measuring.Finished], float], ...] = (
        lambda one: one.processor,
        lambda one: one.seconds,
        lambda one: one.peak / MEGABYTE,
    )
    first, second, third = (statistics.median(map(read, runs)) for read in reads)
    return first, second, third


def folder(case: Case, models: Sequence[str] = ()) -> Path:
    """A folder with the config of a case."""
    home = synthetic.folder() / "-".join(["whole", str(case.rows), str(case.suppression), *models])
    home.mkdir(exist_ok=True)
    document = json.loads(lattice.config_text(lattice.Case(case.rows, case.k, case.suppression, None, 0)))
    (home / "anonduck.yml").write_text(json.dumps(document | {"models": [*models]}), encoding="utf-8")
    return home


def run(home: Path, *options: str) -> measuring.Finished:
    """The whole job from nothing."""
    forget(home)
    return measuring.process(whole_job(home, *options), environment=COMPILED)


def whole_job(home: Path, *options: str) -> list[str]:
    """The command of the whole job."""
    given = [
        *(options or ("--json",)),
        "--overwrite",
        "-p",
        str(home),
        "-o",
        str(home / "out.csv"),
    ]
    return measuring.anonduck("run", *given)


def statements(home: Path) -> int:
    """How many statements the whole job issues, as ``--show-sql`` lists them, each under a line with its time."""
    forget(home)
    shown = subprocess.run([*whole_job(home), "--show-sql"], capture_output=True, text=True, check=True).stderr
    return len(re.findall(r"^-- .*: [0-9.]+ ms, ", shown, flags=re.MULTILINE))


def models(times: int) -> None:
    """The first cases with a tree, whose scores are measured on records that the search did not see, too."""
    for name in ("none", "five"):
        home = folder(CASES[name], ["tree"])
        processor, _, megabytes = figures([run(home) for _ in range(times)])
        measuring.report(f"{CASES[name].name}, with a tree", processor, " CPU s", 4)
        print(f"  {megabytes:,.0f} MB")


def default(times: int) -> None:
    """`run` as `init` proposes it."""
    for name, (file, of_class) in DEFAULTS.items():
        home = synthetic.folder() / f"whole-default-{name}"
        home.mkdir(exist_ok=True)
        source = home / "customers.csv" if file is None else adult.data() / file
        if file is None:
            from offer import customers

            customers(CUSTOMERS).to_csv(source, index=False)
        measuring.process(measuring.anonduck("init", str(source), "--class", of_class, "-p", str(home), "--overwrite"))
        processor, seconds, megabytes = figures([run(home, "--json") for _ in range(times)])
        measuring.report(f"default run on {name}", processor, " CPU s", 25)
        print(f"  {seconds:.1f} s, {megabytes:,.0f} MB")


def forget(home: Path) -> None:
    """Remove the decision database of a folder."""
    for old in home.glob("anonduck.duckdb*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()


def arx_command(command: str, case: Case, home: Path) -> list[str]:
    """The command that runs ARX on the table of a case."""
    known = {
        "table": lattice.table(case.rows),
        "hierarchies": lattice.arx(),
        "k": case.k,
        "suppression": case.suppression,
        "output": home / "arx.csv",
    }
    return [part.format_map(known) for part in shlex.split(command)]


def commands(times: int) -> None:
    """What commands cost at least, after a run of the first case."""
    home = folder(CASES["none"])
    run(home)
    lines = (adult.data() / "arx" / "adult.csv").read_text(encoding="utf-8").splitlines()[: FEW + 1]
    (home / "few.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for what, (arguments, seconds, most) in COMMANDS.items():
        runs = [in_folder(home, arguments) for _ in range(times + 1)][1:]
        processor, _, megabytes = figures(runs)
        measuring.report(what, processor, " CPU s", seconds)
        if most is not None:
            measuring.report(f"{what}, peak memory", megabytes, " MB", most)


def in_folder(home: Path, arguments: Sequence[str]) -> measuring.Finished:
    """A command of anonduck run in a folder; a release is of the few records there."""
    places = [str(home / part) if part.endswith(".csv") else part for part in arguments]
    own = [] if arguments[0] in ("--help", "audit") else ["-p", str(home)]
    few = ["--source", str(home / "few.csv"), "--require", "k=1"] if arguments[0] == "release" else []
    return measuring.process(measuring.anonduck(*places, *own, *few), environment=COMPILED)


OTHERS: dict[str, Callable[[int], None]] = {"commands": commands, "models": models, "default": default}
"""What is no case, by name; each takes how often it is run."""

if __name__ == "__main__":
    sys.exit(main())
