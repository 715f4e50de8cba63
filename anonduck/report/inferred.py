"""What can be inferred about the people in a release: by the released file alone, and, for its owner, in the offer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from anonduck.database.connection import Database
from anonduck.offer.candidates import Candidate, kept_offer
from anonduck.privacy.audited_file import open_release
from anonduck.release.dictionary_text import share_words
from anonduck.rules.rounding import DIGITS
from anonduck.search.store import read_discovery
from anonduck.statements import statement
from anonduck.workspace import Workspace

OTHERWISE = frozenset({"probabilistic_k", "non_homogeneous_k"})
"""What methods promise whose k does not follow from the classes of the file: swapped values, and distributions."""
OF = ("class", "sensitive")


def shows_classes(receipt: Mapping[str, Any]) -> bool:
    """Whether the classes of the file are those that k counts."""
    return not OTHERWISE & set((receipt.get("method") or {}).get("model", {}))


def inferred_in(file: str, receipt: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """By column, the class and each sensitive one, what the groups of a released file tell, counted in it.

    ``classes`` and ``records`` are the groups of one value and the records in them, ``alike`` the share of these, and
    ``gain`` how much more often a guess is right in a
    group than its value is held in the file, where that is most. Empty where the file shows no groups.
    """
    told = [one["name"] for one in receipt["columns"] if one["role"] in OF]
    quasi = [one["name"] for one in receipt["columns"] if one["role"] == "quasi-identifier"]
    if not (told and quasi and shows_classes(receipt)):
        return {}
    with closing(Database()) as work, open_release(work, file, None):
        return {name: _inferred(work, quasi, name) for name in told}


def _inferred(work: Database, quasi: list[str], told: str) -> dict[str, float]:
    query = statement("report/inferred.sql", columns={"quasi": quasi}, column={"told": told})
    classes, records, alike, gain = work.row(query)
    return {"classes": classes, "records": records, "alike": round(alike, DIGITS), "gain": round(gain, DIGITS)}


def candidate_of(workspace: Workspace, owner: Mapping[str, Any]) -> Candidate | None:
    """The candidate of the stored offer that a release is of, by its owner's file; None where the offer has it no more.

    Another offer may have another candidate by its id: records, k, classes and what is left out are compared too.
    """
    stored = read_discovery(workspace.database)
    if stored is None or stored.settings.get("content") != owner["fingerprints"]["source"]:
        return None
    identifier = ((owner.get("rule") or owner.get("recoding")) or {}).get("id")
    reached = [owner[name] for name in ("k", "classes", "suppressed")]
    return next(
        (
            one
            for one in kept_offer(workspace, stored)
            if one.id == identifier and [one.k, one.classes, one.suppressed] == reached
        ),
        None,
    )


def inferred_words(inferred: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """What the groups of the file tell of each column, as sentences.

    >>> for words in inferred_words({"ill": {"alike": 0.0, "gain": 0.7}}):
    ...     print(words)
    ill: no group has the same value in all its records. In some group a guess is right 70.0 points more often than \
the share of the guessed value in the file.
    """
    for name, one in inferred.items():
        alike = (
            f"{share_words(one['alike'])} of the records are in groups that have the same value in all their records: "
            "whoever knows that a person is in such a group knows the value too"
            if one["alike"]
            else "no group has the same value in all its records"
        )
        yield (
            f"{name}: {alike}. In some group a guess is right {points(one['gain'])} points more often than the share "
            "of the guessed value in the file."
        )


def points(difference: float) -> str:
    """A difference of shares in percentage points."""
    return f"{100 * difference:.1f}"


def unseen_words(class_: str | None, candidate: Candidate | None) -> str:
    """How much oftener the class of people in a release is guessed than that of people who are not, in a sentence."""
    if class_ is None:
        return "The config names no class, so that nobody was asked to guess one."
    if candidate is None or candidate.inference is None:
        return (
            f"How often {class_} is guessed of people who are not in the release was not measured: the decision "
            "database has no candidate for it with figures on unseen people, such as `anonduck run` makes."
        )
    one = candidate.inference
    more = (
        f"{points(one['gain'])} points more (standard error {points(one['error'])})" if one["gain"] > 0 else "no more"
    )
    return (
        f"Whoever finds the group of a person in the release guesses {class_} right for "
        f"{share_words(one['released'])} of these people; a model guesses it right for {share_words(one['control'])} "
        f"of people who are not in it: {more}."
    )
