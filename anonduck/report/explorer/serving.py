"""The explorer from beginning to end: the source is read, the page served, until somebody ends it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from anonduck.report.explorer.explorer import explorer_of
from anonduck.report.explorer.server import opened_in_browser, serving
from anonduck.workspace import Workspace


def serve(
    workspace: Workspace,
    *,
    port: int,
    browser: bool,
    ready: Callable[[str, bool], None] | None,
    until: Callable[[], object] | None,
) -> None:
    """Serve the explorer of a workspace; ``ready`` is told its address, by default on stdout, and ``until`` waited for.

    A call of ``until`` that returns ends it, by default Ctrl-C alone. Raises ConfigError if the port cannot be used.
    """
    with (
        explorer_of(workspace) as explorer,
        serving(explorer, port) as server,
        opened_in_browser(server.url) if browser else contextlib.nullcontext(False) as shown,
    ):
        (ready or _print)(server.url, bool(shown))
        (until or threading.Event().wait)()


def _print(url: str, _: bool) -> None:
    print(url, flush=True)
