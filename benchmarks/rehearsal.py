"""Nights of a job in each engine: new values each night, and among them retries, kills, unusable nights, a late month.

The job releases by a lock, as docs/etl.md says: `cli` by files, `postgres` and `spark` in the engine, `dbt-duckdb`,
`dbt-postgres` and `sqlmesh` as their models; `cli-run` chooses by itself. After each event, and all the time where a
reader may look in, what is published is read and counted in plain Python (`rehearsing/records.py`): it is all records
of the last good night or of tonight, in classes that meet the requirement. A night that can succeed must, and one that
cannot must leave what stood there. An engine that is not installed is named. dbt and SQLMesh are found by ANONDUCK_DBT
and ANONDUCK_SQLMESH, the folders of their commands.

    python rehearsal.py --engine cli --engine postgres --nights 12 --seed 1
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from rehearsing.jobs import BROKEN, JOBS_BY_NAME, AbsentError, Job
from rehearsing.records import FAR_AWAY, QUASI, Record, faults, outliers, partition, reached

EVENTS = ("retry", "kill", "term", "few", "broken", "outliers", "late")
LEAST = 2  # nights: the first, and one with an event
LOOKS = 0.05  # seconds between two looks at what is published
GONE = 30  # seconds that processes may take to go after a kill
FEW = 3  # records, fewer than k
MISSED, BAD, NO_RULE = 1, 2, 3
ENDED = {signal.SIGKILL: {-signal.SIGKILL}, signal.SIGTERM: {143, -signal.SIGTERM}}
"""What a process ends with by a signal; by SIGTERM as the shell says it, unless Python had not started yet."""
COLUMNS = ("engine", "night", "event", "exit codes", "rows", "k", "l", "finding")


@dataclass
class Night:
    """What happened in a night: exit codes, and what was found wrong."""

    number: int
    event: str
    codes: list[int] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)


class Watch(threading.Thread):
    """A reader who looks all the time; what is published must be one of some sets of records."""

    def __init__(self, job: Job, allowed: Sequence[Sequence[Record]]) -> None:
        super().__init__()
        self.job, self.allowed = job, allowed
        self.findings: set[str] = set()
        self.ended = threading.Event()

    def run(self) -> None:
        """Look until it is to end."""
        seen: Any = object()
        while not self.ended.wait(LOOKS):
            try:
                if (now := self.job.stamp()) != seen:
                    rows = self.job.published()
                    if self.job.stamp() == now:  # else it changed while it was read
                        self.look(rows)
                        seen = now
            except Exception as error:  # a reader who fails is a finding
                self.findings.add(f"a reader got {type(error).__name__}: {error}"[:200])

    def look(self, rows: list[dict[str, Any]] | None) -> None:
        """Judge what is there."""
        if rows is None:
            if all(self.allowed) and self.job.replaced_at_once:
                self.findings.add("for a moment nothing was published")
            return
        found = [faults(rows, records, locked=self.job.locked) for records in self.allowed if records]
        if all(found):
            self.findings.update(f"for a moment: {one}" for one in min(found, key=len, default=["rows of no night"]))

    def end(self) -> set[str]:
        """End it; what it found."""
        self.ended.set()
        self.join()
        return self.findings


class Rehearsal:
    """The nights of one job."""

    def __init__(self, job: Job, nights: int, random: Random) -> None:
        self.job, self.random = job, random
        self.events = ["first", *_dealt(nights - 1, random)]
        self.parts: dict[str, Sequence[Record] | str] = {}
        self.standing: list[Record] = []
        """The records of what is published."""
        self.usual = 10.0
        """Seconds that the job took last."""

    def perform(self) -> list[Night]:
        """Play all nights; a row is printed for each."""
        late: dict[str, Sequence[Record]] = {}
        done = []
        for number, event in enumerate(self.events):
            night = Night(number, event)
            arrived = {f"part-{number:02}": partition(number, self.random)}
            if event == "late":
                late, arrived = arrived, {}
            elif late:
                late, arrived = {}, late | arrived
            self.parts |= arrived
            self.job.deliver(self.parts)
            if event == "first":
                self.job.prepare()
            getattr(self, event, self.plain)(night)
            self.show(night)
            done.append(night)
        return done

    # -- events ------------------------------------------------------------------------------------------------------

    def plain(self, night: Night) -> None:
        """Nothing happens but new records."""
        self.succeed(night)

    def retry(self, night: Night) -> None:
        """The scheduler repeats what has succeeded."""
        self.succeed(night)
        self.succeed(night)
        if self.job.skips:
            before = self.job.stamp()
            self.run(night, self.job.skipping(), codes={0})
            if self.job.stamp() != before:
                night.findings.append("a run that was to be skipped wrote")

    def kill(self, night: Night) -> None:
        """Killed by SIGKILL."""
        self.stopped(night, signal.SIGKILL)

    def term(self, night: Night) -> None:
        """Ended by SIGTERM, as a scheduler does it."""
        self.stopped(night, signal.SIGTERM)

    def stopped(self, night: Night, number: signal.Signals) -> None:
        """Stopped twice, anywhere and while it writes, and run again."""
        for writing in (False, True):
            code = self.run(night, self.job.command(), stop=(number, writing))
            if self.job.own and code not in {0, *ENDED[number]}:
                night.findings.append(f"{number.name} ended it with {code}")
            if code == 0:
                self.standing = self.records()
            self.read(night)
            if self.job.own and number == signal.SIGTERM and (left := self.job.leftovers()):
                night.findings.append(f"{number.name} left {left}")
        self.succeed(night)

    def few(self, night: Night) -> None:
        """The export is nearly empty: no rule can meet the requirement."""
        self.job.deliver({"part-00": self.records()[:FEW]})
        self.fail(night, {MISSED, NO_RULE})

    def broken(self, night: Night) -> None:
        """The partition of tonight cannot be read; it comes again, and the job with it."""
        self.job.deliver(self.parts | {f"part-{night.number:02}": BROKEN})
        self.fail(night, {BAD})
        self.job.deliver(self.parts)
        self.succeed(night)

    def outliers(self, night: Night) -> None:
        """Two persons live where no others do; the next night they have gone."""
        with_them = self.parts | {"part-far": outliers(night.number)}
        self.job.deliver(with_them)
        if self.job.locked:
            self.fail(night, {MISSED})
            return
        kept, self.parts = self.parts, with_them
        self.succeed(night)
        self.parts = kept

    def late(self, night: Night) -> None:
        """Nothing new has come; the next night it comes beside the next month."""
        self.succeed(night)

    # -- steps -------------------------------------------------------------------------------------------------------

    def records(self) -> list[Record]:
        """All records that have arrived."""
        return [record for part in self.parts.values() if not isinstance(part, str) for record in part]

    def succeed(self, night: Night) -> None:
        """Run the job, which must publish tonight's records."""
        if self.run(night, self.job.command(), codes={0}) == 0:
            self.standing = self.records()
            if left := self.job.leftovers():
                night.findings.append(f"left beside the release: {left}")
        self.read(night)

    def fail(self, night: Night, codes: set[int]) -> None:
        """Run the job, which must leave what stands there."""
        code = self.run(night, self.job.command(), codes=codes if self.job.own else None)
        if code == 0:
            night.findings.append("a night that cannot succeed did")
        self.read(night)

    def read(self, night: Night) -> None:
        """Judge what is published as the reader in the morning does."""
        rows = self.job.published()
        if rows is None:
            night.findings += ["nothing is published"] if self.standing else []
        else:
            night.findings += faults(rows, self.standing, locked=self.job.locked)

    def run(
        self,
        night: Night,
        command: Sequence[str],
        *,
        codes: set[int] | None = None,
        stop: tuple[signal.Signals, bool] | None = None,
    ) -> int:
        """Run a command while others read, and stop it in its midst if asked to; its exit code."""
        watch = Watch(self.job, [self.standing, self.records()])
        if self.job.watched:
            watch.start()
        with tempfile.TemporaryFile("w+", encoding="utf-8") as told:
            began = time.monotonic()
            process = subprocess.Popen(
                command,
                cwd=self.job.work_folder(),
                env=self.job.variables(),
                stdout=told,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            if stop is not None:
                self.stop(process, *stop)
            code = process.wait()
            if code == 0 and stop is None:
                self.usual = time.monotonic() - began
            told.seek(0)
            said = told.read()
        if self.job.watched:
            night.findings += sorted(watch.end())
        night.codes.append(code)
        if codes is not None and code not in codes:
            night.findings.append(f"exit code {code}, expected {sorted(codes)}: {said[-1500:]}")
        if self.job.own and FAR_AWAY in said:
            night.findings.append("a message names a value of a record")
        if stop is not None and (left := self.still_running()):
            night.findings.append(f"processes left after {GONE} s: {left}")
        return code

    def stop(self, process: subprocess.Popen[bytes], number: signal.Signals, writing: bool) -> None:
        """Send a signal to the group of a process: when it has begun to write, or anywhere in its usual time."""
        seen = writing and self.job.shows_writing
        part = 2 if seen else self.random.uniform(0.6 if writing else 0.2, 0.95)
        ends = time.monotonic() + self.usual * part
        while time.monotonic() < ends and process.poll() is None and not (seen and self.job.is_writing()):
            time.sleep(0.002 if writing else 0.02)
        if process.poll() is None:
            os.killpg(process.pid, number)

    def still_running(self) -> list[str]:
        """Programs in the folder of the job that go on without it."""
        ends = time.monotonic() + GONE
        while (found := _programs_in(self.job.folder)) and time.monotonic() < ends:
            time.sleep(0.2)
        return found

    def show(self, night: Night) -> None:
        """Print a row of the table."""
        rows = self.job.published() or []
        k, l_ = reached(rows, [name for name in QUASI if name in rows[0]]) if rows else (0, 0)
        codes = ", ".join(map(str, night.codes))
        found = "; ".join(night.findings).replace("\n", " ") or "none"
        cells = (self.job.name, night.number, night.event, codes, len(rows), k, l_, found)
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def _dealt(nights: int, random: Random) -> list[str]:
    """The events of so many nights, each once, or as many as there are nights, and others without one; in any order,
    but the late month is not the last.
    """
    events = random.sample([*EVENTS, *["plain"] * (nights - len(EVENTS))], nights)
    if events[-1] == "late":
        events = [events[-1], *events[:-1]]
    return events


def _programs_in(folder: Path) -> list[str]:
    """Processes that work in a folder."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if link.resolve().is_relative_to(folder.resolve()):
                found.append((link.parent / "comm").read_text().strip())
        except OSError:
            continue
    return found


def main() -> None:
    """Print the nights of each engine and a verdict; ends with 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--engine", action="append", choices=JOBS_BY_NAME)
    parser.add_argument("--nights", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.nights < LEAST:
        parser.error(f"--nights is at least {LEAST}")
    print("| " + " | ".join(COLUMNS) + " |\n|" + " --- |" * len(COLUMNS), flush=True)
    findings, unplayed = 0, []
    for name in options.engine or JOBS_BY_NAME:
        with tempfile.TemporaryDirectory(prefix=f"rehearsal-{name}-") as folder:
            try:
                job = JOBS_BY_NAME[name](Path(folder))
            except AbsentError as error:
                unplayed.append(f"{name} was not rehearsed: {error}")
                continue
            try:
                nights = Rehearsal(job, options.nights, Random(options.seed)).perform()  # noqa: S311
            finally:
                job.close()
        findings += sum(len(night.findings) for night in nights)
        if lacking := sorted({*EVENTS} - {night.event for night in nights}):
            unplayed.append(f"{name} had too few nights for: {', '.join(lacking)}")
    print("\n" + "\n".join([*unplayed, f"{findings} findings" if findings else "nothing was found"]))
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
