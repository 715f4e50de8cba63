"""The offer as a picture: each candidate by its k and the detail that it keeps, as SVG that needs no library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import log10
from typing import Any

from anonduck.words import Picture

WIDE, HIGH, LEFT, BOTTOM, TOP, RIGHT = 560, 300, 60, 50, 20, 30
CHOSEN, OTHERS, SOFT = "#0b5cad", "#808890", "#c3c8cd"


def offer_picture(candidates: Sequence[Mapping[str, Any]], chosen: Mapping[str, Any]) -> Picture:
    """Candidates (``id``, ``k``, ``detail``) and the one that was ``chosen``; k to the right, logarithmic."""
    points = [one for one in candidates if one["id"] != chosen["id"]]
    drawn = [*points, chosen]
    lowest, highest = min(one["k"] for one in drawn), max(one["k"] for one in drawn)
    first, last = log10(max(lowest, 1)), log10(max(highest, 1))
    first, last = (first, last) if last - first > 0.1 else (first - 0.5, last + 0.5)

    def x(k: int) -> float:
        return LEFT + (log10(max(k, 1)) - first) / (last - first) * (WIDE - LEFT - RIGHT)

    def y(detail: float) -> float:
        return TOP + (1 - detail) * (HIGH - TOP - BOTTOM)

    parts = [_line(LEFT, y(share), WIDE - RIGHT, y(share), SOFT) for share in (0, 0.5, 1)]
    parts += [_text(LEFT - 8, y(share) + 4, f"{share:.0%}", "end") for share in (0, 0.5, 1)]
    parts += [_text(x(k), HIGH - BOTTOM + 18, f"{k:,}", "middle") for k in sorted({lowest, chosen["k"], highest})]
    parts.append(_text((LEFT + WIDE - RIGHT) / 2, HIGH - 8, "k: records that look alike, at least", "middle"))
    parts.append(_text(LEFT, TOP - 6, "detail kept", "start"))
    ids: dict[tuple[int, int], str] = {}
    for one in drawn:
        colour, size = (CHOSEN, 6) if one is chosen else (OTHERS, 4)
        parts.append(
            f'<circle cx="{x(one["k"]):.1f}" cy="{y(one["detail"]):.1f}" r="{size}" fill="{colour}">'
            f"<title>{escape(_said(one))}</title></circle>"
        )
        at = round(x(one["k"])), round(y(one["detail"]))
        ids[at] = f"{ids[at]}, {one['id']}" if at in ids else str(one["id"])
    for (right, down), words in ids.items():
        colour = CHOSEN if str(chosen["id"]) in words.split(", ") else OTHERS
        parts.append(_text(right + 8, down - 6, words, "start", colour))
    told = f"{len(drawn)} candidates by k and detail kept; released: {_said(chosen)}"
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" role="img" '
        f'aria-label="{escape(told)}" font-family="sans-serif" font-size="12">{"".join(parts)}</svg>'
    )


def _said(one: Mapping[str, Any]) -> str:
    return f"{one['id']}: k {one['k']:,}, {one['detail']:.1%} of the detail"


def _line(x: float, y: float, end: float, below: float, colour: str) -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{end:.1f}" y2="{below:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, words: str, anchor: str, colour: str = OTHERS) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'
