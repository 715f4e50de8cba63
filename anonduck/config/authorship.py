"""Who decided the roles of the columns: a person edited the config since `init` wrote it, or nobody did.

`init` ends a config with a comment that holds two digests: of its roles, and of its whole text. A text that still has
the second was not edited.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import yaml

ROLES = ("class", "identifiers", "entity", "sensitive", "insensitive", "drop", "quasi_identifiers")
DIGITS = 16
_MARK = re.compile(rf"# as `init` wrote it: ([0-9a-f]{{{DIGITS}}}) ([0-9a-f]{{{DIGITS}}})[^\n]*")

UNREAD = (
    "# once somebody has read this file, who that is and when; no certificate can be signed before\n"
    "# reviewed: NAME, DATE"
)
NO_FILE = "there is no config file: the roles were given in Python, or left to be proposed"
BY_HAND = "a person wrote the config, or took out what `init` notes at its end"
NOBODY = "nobody edited the config since `init` proposed it"
OTHERS = "a person edited the config since `init` proposed it, and left the roles as they were proposed"
ROLES_TOO = "a person edited the config since `init` proposed it, the roles of columns too"


def with_digests(text: str) -> str:
    """The text of a config that `init` proposes, with the comment that tells later whether a person edited it."""
    text = f"{text}\n{UNREAD}\n"
    roles, whole = _digests(text)
    return f"{text}# as `init` wrote it: {roles} {whole} (by this, certificates tell whether a person edited it)\n"


def who_decided(path: Path | None) -> str:
    """Who decided the roles of a config by its text as it is now, as a clause; None stands for no file."""
    if path is None or not path.is_file():
        return NO_FILE
    text = path.read_text(encoding="utf-8-sig")
    noted = _MARK.search(text)
    if noted is None:
        return BY_HAND
    roles, whole = _digests(_MARK.sub("", text))
    if noted[2] == whole:
        return NOBODY
    return OTHERS if noted[1] == roles else ROLES_TOO


def _digests(text: str) -> tuple[str, str]:
    """The digests of the roles and of the whole text, in which blanks at ends of lines and of the text do not count."""
    keys = yaml.safe_load(text)
    roles = {name: keys.get(name) for name in ROLES}
    lines = "\n".join(line.rstrip() for line in text.splitlines()).strip()
    return _digest(json.dumps(roles, sort_keys=True, default=str)), _digest(lines)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
