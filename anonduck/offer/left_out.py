"""The columns that a choice leaves out, in words, beside the candidate that shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonduck.words import listed_names

if TYPE_CHECKING:
    from anonduck.offer.candidates import Candidate


def left_out_words(one: Candidate | None, wider: Candidate | None) -> str:
    """The columns that a chosen candidate leaves out, of which another one, ``wider``, shows some; else empty."""
    if one is None or wider is None:
        return ""
    shown = [name for name in one.left_out if name in wider.columns]
    which = "which" if shown == one.left_out else "of which"
    some = "" if shown == one.left_out else f" {listed_names(shown)}"
    return f"{one.id} leaves out {listed_names(one.left_out)}, {which} {wider.id} ({wider.words}) shows{some}"
