"""Serve the explorer on this machine only, to whoever knows the token in its address.

Other machines cannot connect, and other users of this machine do not know the token. Pages of other origins are refused
by the headers Host (wrong for another name bound to this address) and Origin. Nothing is cached, no other origin may
read answers, and the page loads nothing but answers.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import threading
import webbrowser
from collections.abc import Callable, Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anonduck.errors import AnonduckError, ConfigError
from anonduck.report.explorer.explorer import Explorer, explorer_of
from anonduck.report.page import embedded, filled, policy, web
from anonduck.workspace import Workspace

ADDRESS = "127.0.0.1"
LONGEST_BODY = 1 << 20
PATIENCE = 10.0  # seconds after which a silent connection is closed
SCRIPT = "explorer.js"
SAFE = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def serve(
    workspace: Workspace,
    *,
    port: int,
    browser: bool,
    ready: Callable[[str, bool], None] | None,
    until: Callable[[], object] | None,
) -> None:
    """Serve the explorer of a workspace until ``until`` returns, by default until Ctrl-C.

    ``ready`` receives the address, which is printed by default. Raises ConfigError if the port cannot be used.
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


class ExplorerServer(ThreadingHTTPServer):
    """A server on a port of this machine (0: any free one). Raises ConfigError if the port is taken."""

    daemon_threads = True

    def __init__(self, explorer: Explorer, port: int = 0) -> None:
        self.explorer = explorer
        self.token = secrets.token_urlsafe(32)
        try:
            super().__init__((ADDRESS, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or "a port is a number from 0 to 65535"
            raise ConfigError(f"port {port} of {ADDRESS} cannot be used: {why}; name another port, or none") from None

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """The address of the page, including the token."""
        return f"http://{ADDRESS}:{self.port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, str]:
        """The names by which a browser may address this server."""
        return f"{ADDRESS}:{self.port}", f"localhost:{self.port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore broken connections: only the page connects, and it asks again."""


@contextlib.contextmanager
def serving(explorer: Explorer, port: int = 0) -> Iterator[ExplorerServer]:
    """A server that answers in its own threads until the block ends."""
    with ExplorerServer(explorer, port) as server:
        thread = threading.Thread(target=server.serve_forever, name="explorer", daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def opened_in_browser(url: str) -> Iterator[bool]:
    """Open a page in the browser; yields whether there is a browser.

    The address is passed in a private file, because all users of a machine can see the arguments of programs.
    """
    with TemporaryDirectory(prefix="anonduck-") as folder:
        page = Path(folder, "explore.html")
        page.touch(mode=0o600)
        page.write_text(filled("explorer_opening.html", url=url), encoding="utf-8")
        try:
            found = webbrowser.open(page.as_uri())
        except webbrowser.Error:
            found = False
        yield found


def explorer_page(explorer: Explorer) -> tuple[str, str]:
    """The page as HTML, and its content security policy."""
    script = web(SCRIPT)
    allowed = f"{policy([script])}; connect-src 'self'; form-action 'none'; frame-ancestors 'none'"
    page = filled(
        "explorer.html",
        style=web("page.css") + web("explorer.css"),
        state=embedded(explorer.state()),
        script=f"<script>{script}</script>",
    )
    return page, allowed


class _Handler(BaseHTTPRequestHandler):
    """Handles one request per connection, as in HTTP/1.0, so that nothing is answered after the server has ended."""

    server: ExplorerServer
    timeout = PATIENCE

    def version_string(self) -> str:
        """The server's name, without versions."""
        return "anonduck"

    def log_message(self, format: str, *args: Any) -> None:
        """Keep no log, because each line would hold the token."""

    def do_GET(self) -> None:
        """The page."""
        if (place := self._place()) is None:
            return
        if place:
            self._send(HTTPStatus.NOT_FOUND, "there is no such page", "text/plain")
            return
        page, allowed = explorer_page(self.server.explorer)
        self._send(HTTPStatus.OK, page, "text/html", {"Content-Security-Policy": allowed})

    def do_POST(self) -> None:
        """A question of the page, as JSON; errors are answered with their message."""
        if (place := self._place()) is None:
            return
        explorer = self.server.explorer
        questions: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "measure": explorer.measure,
            "save": explorer.save,
            "undo": explorer.undo,
        }
        asked = self._asked()
        if place not in questions:
            self._send(HTTPStatus.NOT_FOUND, "there is no such question", "text/plain")
        elif asked is None:
            self._tell(HTTPStatus.BAD_REQUEST, {"error": "the question is no JSON object"})
        else:
            try:
                self._tell(HTTPStatus.OK, questions[place](asked))
            except AnonduckError as error:
                self._tell(HTTPStatus.UNPROCESSABLE_ENTITY, {"error": str(error)})

    def _place(self) -> str | None:
        """The path after the token; None if the request was refused."""
        path = self.path.partition("?")[0].removeprefix("/")
        token, _, place = path.partition("/")
        known = hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        hosts, origin = self.headers.get_all("Host", []), self.headers.get("Origin")
        mine = len(hosts) == 1 and hosts[0].lower() in self.server.hosts
        same = origin is None or origin.lower() in {f"http://{host}" for host in self.server.hosts}
        if known and mine and same:
            return place
        self._send(
            HTTPStatus.FORBIDDEN, "this page is for whoever started it; open the address it printed", "text/plain"
        )
        return None

    def _asked(self) -> dict[str, Any] | None:
        """The body of a question; None if it is no JSON object, too long, or of another content type."""
        length = self.headers.get("Content-Length", "")
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if not length.isascii() or not length.isdecimal() or int(length) > LONGEST_BODY or kind != "application/json":
            return None
        try:
            asked = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            return None
        return asked if isinstance(asked, dict) else None

    def _tell(self, status: HTTPStatus, answer: dict[str, Any]) -> None:
        self._send(status, json.dumps(answer, allow_nan=False), "application/json")

    def _send(self, status: HTTPStatus, text: str, kind: str, more: dict[str, str] | None = None) -> None:
        body = text.encode()
        self.send_response(status)
        headers = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body)), **SAFE, **(more or {})}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
