"""What the chosen candidate is expected to reach, though it was chosen by such scores.

The best of several noisy scores is too high, however each was measured. So the choice is made anew without each part of
the tested records, and what it takes is scored on that part alone: no part scores what it helped to choose (Varma and
Simon 2006; Cawley and Talbot 2010).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonduck.offer.choice import choose
from anonduck.search.expected import of_parts

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.offer.candidates import Candidate

NESTED = "{}; the candidate is chosen by the other parts of these, and scored on each in turn"


def chosen_by_part(chosen: Candidate, candidates: Sequence[Candidate], config: Config) -> list[str]:
    """The ids that are chosen without each part of the tested records, by part.

    A part that chooses none, as by a requirement that the chosen one met by chance, takes the chosen one. Candidates
    that were tested on fewer parts than the chosen one, as the time was up, are left aside.
    """
    parts = _parts_of(chosen)
    beside = [one for one in candidates if one.failed is None and _parts_of(one) == parts]
    taken = []
    for part in range(parts):
        choice = choose([one.without_part(part) for one in beside], config)
        taken.append(chosen.id if choice is None else choice.chosen.id)
    return taken


def expected_of_choice(
    chosen: Candidate, candidates: Sequence[Candidate], config: Config
) -> dict[str, Mapping[str, Any]]:
    """What the choice among candidates is expected to reach, by model; the own scores of the chosen one where each part
    chooses it too, and by a model that some part's choice was not tested by."""
    taken = chosen_by_part(chosen, candidates, config)
    by_id = {one.id: one for one in candidates}
    found: dict[str, Mapping[str, Any]] = dict(chosen.expected or {})
    if all(name == chosen.id for name in taken):
        return found
    for model, own in found.items():
        scores = [(by_id[name].expected or {}).get(model) for name in taken]
        if all(score is not None for score in scores):
            scored = [score["parts"][part] for part, score in enumerate(scores) if score is not None]
            found[model] = of_parts(own, scored) | {"protocol": NESTED.format(own["protocol"])}
    return found


def _parts_of(one: Candidate) -> int:
    """How many parts the scores of a candidate have."""
    return min((len(score.get("parts", ())) for score in (one.expected or {}).values()), default=0)
