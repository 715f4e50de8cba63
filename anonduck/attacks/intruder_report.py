"""What a motivated intruder finds in a release, as counts; and the owner's file that keeps it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.attacks.rates import Rate, Z
from anonduck.attacks.words import digits, percent, rate_json
from anonduck.database.lake_tables import is_lake_table
from anonduck.database.private_file import write_private
from anonduck.errors import AuditError

SURE = 0.5
BANDS = (0.9, SURE, 0.2, 0.05, 0.0)
OWNERS_KEY = "intruder"


@dataclass(frozen=True)
class ClaimBand:
    """The claims with a confidence of ``least`` or more and less than that of the band before: how many are right, and
    how many are about people who are not in the release, which cannot be right.
    """

    least: float
    right: Rate
    outside: int

    def as_json(self) -> dict[str, Any]:
        """The band as part of a JSON document."""
        claims = {"least_confidence": self.least, "claims": self.right.tried, "right": digits(self.right.right)}
        return {**claims, **rate_json(self.right, "rate", Z), "outside": self.outside}


@dataclass(frozen=True)
class ValueGuesses:
    """How often the most frequent value of the claimed rows is the person's: for people of the release and, where their
    values are known, for people who are not in it. ``baseline`` guesses the release's most frequent value.
    """

    about: str
    right: Rate
    control: Rate | None
    baseline: Rate

    def as_json(self) -> dict[str, Any]:
        """The guesses as part of a JSON document."""
        control = {"control_people": None if self.control is None else self.control.tried}
        return {
            "about": self.about,
            "people": self.right.tried,
            **rate_json(self.right, "rate", Z),
            **control,
            **rate_json(self.control, "control_rate", Z),
            "baseline_rate": digits(self.baseline.share),
        }


@dataclass(frozen=True)
class KnownFact:
    """What is known of people in a column: how often it is ``right`` as learned, and the shares of people of whom it is
    ``missing``, or whose value no label covers (``uncovered``).
    """

    name: str
    right: float
    missing: float
    uncovered: float

    def as_json(self) -> dict[str, Any]:
        """The fact as part of a JSON document."""
        return {"name": self.name, **{name: digits(getattr(self, name)) for name in ("right", "missing", "uncovered")}}


@dataclass(frozen=True)
class IntruderFinding:
    """What an intruder finds who looks for the people of a register in a release.

    The register has ``people``; the key of ``members`` is in the original. Looked for were ``inside``, who have a row,
    ``left_out``, whose records were left out, and ``controls``, who are not in the original. ``estimated`` is the share
    in the release as the intruder reckons. ``right`` counts all claims, ``chance`` is how many would be right if any
    row were taken that fits. ``effort`` is how many of the most confident claims are right; ``found`` the people of the
    release whom a claim with a confidence of ``SURE`` or more finds.
    """

    people: int
    members: int
    inside: int
    left_out: int
    controls: int
    facts: tuple[KnownFact, ...]
    estimated: float
    bands: tuple[ClaimBand, ...]
    right: Rate
    chance: float
    effort: tuple[tuple[int, float], ...]
    found: Rate
    guesses: tuple[ValueGuesses, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """What it means, as sentences."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        tried, sure = self.right.tried, sum(band.right.tried for band in self.bands if band.least >= SURE)
        yield (
            f"an intruder who knows {', '.join(one.name for one in self.facts)} looked for {tried:,} of the "
            f"{self.people:,} people of the register: {self.inside:,} are in the release, {self.controls:,} are not, "
            f"and the records of {self.left_out:,} were left out of it"
        )
        low, high = self.right.interval
        yield (
            f"{self.right.right:,.1f} of {tried:,} claims are right ({percent(self.right.share)}, {percent(low)} to "
            f"{percent(high)}), versus {self.chance:,.1f} for a random row among those that fit"
        )
        low, high = self.found.interval
        yield (
            f"claims with a confidence of {percent(SURE)} or more find {percent(self.found.share)} of the people in "
            f"the release ({percent(low)} to {percent(high)}); {sure:,} such claims are made"
        )
        for one in self.guesses:
            control = "" if one.control is None else f", of {percent(one.control.share)} of people who are not in it"
            yield (
                f"the most frequent {one.about} of the claimed rows is that of {percent(one.right.share)} of the "
                f"people in the release{control}; a plain guess is right for {percent(one.baseline.share)}"
            )
        for fact in self.facts:
            if fact.uncovered > SURE:
                yield (
                    f"no released label covers {percent(fact.uncovered)} of the values of {fact.name} in the register: "
                    "they may be written in another way, which hides links"
                )

    def as_json(self) -> dict[str, Any]:
        """The finding as a JSON document. It holds counts, shares and names of columns."""
        return {
            "people": self.people,
            "in_original": self.members,
            "attacked": self.right.tried,
            **{name: getattr(self, name) for name in ("inside", "left_out", "controls")},
            "facts": [one.as_json() for one in self.facts],
            "estimated_inside": digits(self.estimated),
            "right": digits(self.right.right),
            **rate_json(self.right, "rate", Z),
            "right_by_chance": digits(self.chance),
            "bands": [one.as_json() for one in self.bands],
            "effort": [{"claims": count, "right": digits(right)} for count, right in self.effort],
            "found": {"least_confidence": SURE, "people": digits(self.found.right), **rate_json(self.found, "rate", Z)},
            "inference": [one.as_json() for one in self.guesses],
            "words": list(self.words),
        }


# -- the owner's file --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OwnersFile:
    """The owner's file of a release that is a file or a table of a DuckDB file, which need not be there yet."""

    release: Path
    path: Path

    @classmethod
    def of(cls, release: object) -> OwnersFile | None:
        """The owner's file of a release; None for a table in memory, and for tables and folders of engines.

        Raises AuditError for an owner's file that cannot be read, or is none.
        """
        if not isinstance(release, (str, Path)) or is_lake_table(str(release)):
            return None
        name, _, table = (str(release), "", "") if Path(release).exists() else str(release).partition("::")
        file = Path(name)
        if not file.is_file():
            return None
        found = cls(file, file.with_name(f"{file.name}.{table}.owner.json" if table else f"{file.name}.owner.json"))
        found.read()
        return found

    def read(self) -> dict[str, Any]:
        """What it holds; the name of the release alone where it is not there."""
        if not self.path.exists():
            return {"file": self.release.name}
        try:
            document = json.loads(self.path.read_text(encoding="utf-8"))
        except OSError as error:
            raise AuditError(f"the owner's file {self.path} cannot be read: {error.strerror}") from None
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise AuditError(f"{self.path} is no owner's file: it is not a JSON object; move it away")
        return document

    def add(self, found: Mapping[str, Any]) -> None:
        """Write what an intruder finds into it, beside what it holds; it is there whole or as before, for its owner
        alone. Raises ConfigError if it cannot be written.
        """
        with self.release.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        document = {**self.read(), OWNERS_KEY: {"attacked_sha256": sha256, **found}}
        write_private(self.path, json.dumps(document, indent=2, ensure_ascii=False) + "\n", overwrite=True)
