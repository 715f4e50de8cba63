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


def expected_of_choice(
    chosen: Candidate, candidates: Sequence[Candidate], config: Config
) -> dict[str, Mapping[str, Any]]:
    """What the choice among candidates is expected to reach, by model; the own scores of the chosen one where each part
    chooses it too.

    A part that chooses none, as by a requirement that the chosen one met by chance, scores the chosen one. Candidates
    that were tested on fewer parts than the chosen one, as the time was up, are left aside.
    """
    parts = _parts_of(chosen)
    beside = [one for one in candidates if one.failed is None and _parts_of(one) == parts]
    taken = []
    for part in range(parts):
        choice = choose([one.without_part(part) for one in beside], config)
        taken.append(chosen.id if choice is None else choice.chosen.id)
    if all(name == chosen.id for name in taken):
        return dict(chosen.expected or {})
    by_id = {one.id: one for one in beside}
    found: dict[str, Mapping[str, Any]] = {}
    for model, own in (chosen.expected or {}).items():
        scored = [(by_id[name].expected or {})[model]["parts"][part] for part, name in enumerate(taken)]
        found[model] = of_parts(own, scored) | {"protocol": NESTED.format(own["protocol"])}
    return found


def _parts_of(one: Candidate) -> int:
    """How many parts the scores of a candidate have."""
    return min((len(score.get("parts", ())) for score in (one.expected or {}).values()), default=0)
