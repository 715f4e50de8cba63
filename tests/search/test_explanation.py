"""Why there is no rule: the words by what the search had."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from anonduck.rules.rule import RuleSpace
from anonduck.search.explanation import SearchedVectors, explain_no_rule

REACHES = {(0, 1): 2, (1, 1): 3, (2, 0): 3, (1, 0): 1, (0, 0): 1, (2, 1): 9}


@dataclass(frozen=True)
class Judged:
    """A judge that knows the k of each vector of two attributes, and requires so much of it."""

    k: int = 5
    plain: bool = True
    caps: tuple[int, ...] = ()

    @property
    def space(self):
        return RuleSpace(("age", "job"), (2, 1), self.caps)

    @property
    def requirement(self):
        return SimpleNamespace(text=f"k = {self.k}", plain=self.plain, k=self.k)

    def verdict(self, vector):
        k = REACHES[vector]
        unmet = (f"k = {k}",) * (k < self.k) + self.space.dropped(vector)
        return SimpleNamespace(nearness=(k,), measures=SimpleNamespace(suppressed=0, k=k), unmet=unmet)


def mined(reached=True, class_differing=4, stopped=False, vectors=((0, 1),), parents=()):
    return SimpleNamespace(
        covered=SimpleNamespace(reached=reached, class_differing=class_differing),
        rfds=SimpleNamespace(stopped=stopped, vectors=vectors),
        joined=SimpleNamespace(parents=dict.fromkeys(parents)),
        measures={vector: SimpleNamespace(k=REACHES[vector]) for vector in vectors},
    )


NEAREST = "age=1, reaches k = 3"
LOOKED = SearchedVectors(nodes=1500, evaluated=1200, complete=True, nearest=[(0, 1), (1, 1), (2, 0)])
NO_PATTERN = mined(reached=False, class_differing=0, vectors=())


@pytest.mark.parametrize(
    ("searched", "judge", "words"),
    [
        (LOOKED, Judged(), f"none of the 1,500 level vectors below the roots meets k = 5; the nearest, {NEAREST}. Try"),
        (SearchedVectors((), 5, 4, True), Judged(), "of the 5 level vectors below the roots meets k = 5. Try a"),
        (
            SearchedVectors((), 1500, 1200, False, [(1, 1)]),
            Judged(),
            "none of the 1,200 level vectors that were evaluated meets k = 5. Try a larger `--budget N` or",
        ),
        (SearchedVectors([mined(), mined(vectors=((1, 1),))]), Judged(), "no rule: the RFDs reach k = 3 at most"),
        (
            SearchedVectors([mined()]),
            Judged(),
            "at most, below the required 5. Try a smaller `--coverage C` (coarser rules), a smaller `--min-k K`, or "
            "coarser taxonomies",
        ),
        (
            SearchedVectors([mined(parents=[(1, 1)])]),
            Judged(plain=False),
            f"no rule meets k = 5: the nearest RFD, {NEAREST}. Try a smaller `--coverage C`",
        ),
        (SearchedVectors([NO_PATTERN], in_time=False), Judged(), "no rule: the time was up while pairs of"),
        (SearchedVectors([mined()], in_time=False), Judged(), "no rule: the RFDs reach k = 2 at most"),
        (SearchedVectors([NO_PATTERN]), Judged(), "no rule: hardly two pairs of records have the same"),
        (SearchedVectors([mined(class_differing=0)]), Judged(), "no rule: no pair with one of the most"),
        (SearchedVectors([NO_PATTERN, mined(vectors=())]), Judged(), "no rule: records that are equal in all quasi-"),
        (SearchedVectors([mined(stopped=True, vectors=())]), Judged(), "no rule: the search was ended before the RFDs"),
        (SearchedVectors([mined(stopped=True)]), Judged(), "no rule: the RFDs reach k = 2 at most"),
        (
            SearchedVectors([mined(stopped=True, class_differing=0)]),
            Judged(),
            "no rule: no pair with one of the most frequent distance patterns differs in class",
        ),
        (
            LOOKED,
            Judged(k=4, caps=(1, 1)),
            f"no rule: none of the 1,500 level vectors below the roots meets k = 4; the nearest, {NEAREST}",
        ),
        (
            LOOKED,
            Judged(k=3, caps=(1, 0)),
            "no rule meets k = 3: the coarsest that keeps these columns, age=1,job=0, reaches k = 1. age=1 meets",
        ),
    ],
)  # fmt: skip
def test_what_was_missing_is_said(searched, judge, words):
    assert words in explain_no_rule(searched, judge)
