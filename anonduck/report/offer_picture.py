"""The offer in a notebook: each candidate by what decides among them, as SVG that needs no library, and as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from math import log10
from typing import TYPE_CHECKING, Any

from anonduck.offer.choice import CALLED
from anonduck.search.expected import SCORES
from anonduck.words import Picture

if TYPE_CHECKING:
    from anonduck.offer.candidates import Candidate

WIDE, HIGH, LEFT, BOTTOM, TOP, RIGHT = 560, 300, 60, 50, 20, 30
CHOSEN, OTHERS, SOFT = "#0b5cad", "#808890", "#c3c8cd"
K = "k: records that look alike, at least"


def score_called(weighed_by: str) -> str:
    """What the score is called that candidates are weighed by; empty where that is none."""
    measure = weighed_by.partition(".")[0]
    return CALLED.get(measure, measure.replace("_", " ")) if measure in SCORES else ""


def offered_point(one: Candidate, weighed_by: str) -> dict[str, Any]:
    """A candidate as ``offer_picture`` draws it."""
    score = one.score(weighed_by) if score_called(weighed_by) else None
    return {"id": one.id, "k": one.k, "detail": one.detail, "score": score}


def offered_row(one: Candidate, weighed_by: str, *, chosen: bool) -> dict[str, str]:
    """A candidate as a row of the table of candidates."""
    called, score = score_called(weighed_by), offered_point(one, weighed_by)["score"]
    gain = one.inference
    return {
        "": "chosen" if chosen else "",
        "id": one.id,
        "by": one.label if one.levels is not None else one.words,
        "k": f"{one.k:,}",
        "columns": f"{len(one.columns)} of {len(one.detail_by_column)}",
        "detail kept": f"{one.detail:.1%}",
        **({called: _score(score)} if called else {}),
        "inference gain": "" if gain is None else f"{100 * gain['gain']:+.1f} points",
    }


def offer_picture(
    candidates: Sequence[Mapping[str, Any]], chosen: Mapping[str, Any], called: str = "", reason: str = ""
) -> Picture:
    """Candidates (``id``, ``k``, ``detail`` and ``score``, with its error) and the one that was ``chosen``: the score,
    as it is ``called``, to the right, or k, logarithmic, where they have none; ``reason`` says why it was chosen."""
    drawn = [*(one for one in candidates if one["id"] != chosen["id"]), chosen]
    scored = bool(called) and all(one.get("score") for one in drawn)
    x, ticks = _scores(drawn) if scored else _ks(drawn, chosen)

    def y(detail: float) -> float:
        return TOP + (1 - detail) * (HIGH - TOP - BOTTOM)

    parts = [_line(LEFT, y(share), WIDE - RIGHT, y(share), SOFT) for share in (0, 0.5, 1)]
    parts += [_text(LEFT - 8, y(share) + 4, f"{share:.0%}", "end") for share in (0, 0.5, 1)]
    parts += [_text(at, HIGH - BOTTOM + 18, words, "middle") for at, words in ticks]
    title = f"{called} expected of people who are not in it" if scored else K
    parts.append(_text((LEFT + WIDE - RIGHT) / 2, HIGH - 8, title, "middle"))
    parts.append(_text(LEFT, TOP - 6, "detail kept", "start"))
    ids: dict[tuple[int, int], str] = {}
    for one in drawn:
        colour, size = (CHOSEN, 6) if one is chosen else (OTHERS, 4)
        right, down = x(one), y(one["detail"])
        if scored:
            value, error = one["score"]
            ends = (x({"score": (value - error, 0.0)}), x({"score": (value + error, 0.0)}))
            parts.append(_line(ends[0], down, ends[1], down, colour))
        parts.append(
            f'<circle cx="{right:.1f}" cy="{down:.1f}" r="{size}" fill="{colour}">'
            f"<title>{escape(_said(one, called))}</title></circle>"
        )
        at = round(right), round(down)
        ids[at] = f"{ids[at]}, {one['id']}" if at in ids else str(one["id"])
    for (right_, down_), words in ids.items():
        colour = CHOSEN if str(chosen["id"]) in words.split(", ") else OTHERS
        parts.append(_text(right_ + 8, down_ - 6, words, "start", colour))
    by = f"expected {called}" if scored else "k"
    why = f"; {reason}" if reason else ""
    told = f"{len(drawn)} candidates by {by} and detail kept; released: {_said(chosen, called)}{why}"
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" role="img" '
        f'aria-label="{escape(told)}" font-family="sans-serif" font-size="12">{"".join(parts)}</svg>'
    )


Place = Callable[[Mapping[str, Any]], float]
Ticks = list[tuple[float, str]]


def _scores(drawn: Sequence[Mapping[str, Any]]) -> tuple[Place, Ticks]:
    """Where the scores of candidates are drawn, with their errors in the picture, and the ends of the axis."""
    lowest = min(value - error for value, error in (one["score"] for one in drawn))
    highest = max(value + error for value, error in (one["score"] for one in drawn))
    across = max(highest - lowest, 0.01)

    def x(one: Mapping[str, Any]) -> float:
        return float(LEFT + (one["score"][0] - lowest) / across * (WIDE - LEFT - RIGHT))

    return x, [(x({"score": (value, 0.0)}), f"{100 * value:.1f}") for value in (lowest, lowest + across)]


def _ks(drawn: Sequence[Mapping[str, Any]], chosen: Mapping[str, Any]) -> tuple[Place, Ticks]:
    """Where the ks of candidates are drawn, logarithmically, and the values of the axis."""
    lowest, highest = min(one["k"] for one in drawn), max(one["k"] for one in drawn)
    first, last = log10(max(lowest, 1)), log10(max(highest, 1))
    first, last = (first, last) if last - first > 0.1 else (first - 0.5, last + 0.5)

    def x(one: Mapping[str, Any]) -> float:
        return LEFT + (log10(max(one["k"], 1)) - first) / (last - first) * (WIDE - LEFT - RIGHT)

    return x, [(x({"k": k}), f"{k:,}") for k in sorted({lowest, chosen["k"], highest})]


def _said(one: Mapping[str, Any], called: str) -> str:
    score = f", {called} {_score(one['score'])}" if called and one.get("score") else ""
    return f"{one['id']}: k {one['k']:,}, {one['detail']:.1%} of the detail{score}"


def _score(score: tuple[float, float] | None) -> str:
    return "" if score is None else f"{100 * score[0]:.1f} ± {100 * score[1]:.1f}"


def _line(x: float, y: float, end: float, below: float, colour: str) -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{end:.1f}" y2="{below:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, words: str, anchor: str, colour: str = OTHERS) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'
