"""The functions that make taxonomies, found by what the table of builders says of each."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from anonduck.config.taxonomy import BUILDERS

ROOM = "anonduck.taxonomy"


def maker_of(builder: str) -> Callable[..., Any]:
    """The function of this room that makes a builder's taxonomies; see ``Builder.maker``."""
    module, _, function = BUILDERS[builder].maker.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"{ROOM}.{module}"), function)
    return found
