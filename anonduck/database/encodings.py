"""How text files are encoded: found from all their bytes, or named; and copies in UTF-8 of what DuckDB cannot read.

DuckDB reads UTF-8, Latin-1 without the characters that only Windows-1252 has (such as the euro sign), and UTF-16 of the
byte order of PCs. Of a file that is not of the encoding that it was given, it drops records without a word. So nothing
is left to it: each file is decoded before it is read.
"""

from __future__ import annotations

import codecs
import gzip
import itertools
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from anonduck.errors import DatabaseError, SourceError

UTF8, UTF16, LITTLE, BIG, WINDOWS = "utf-8", "utf-16", "utf-16-le", "utf-16-be", "windows-1252"
TITLES = {UTF8: "UTF-8", UTF16: "UTF-16", LITTLE: "UTF-16", BIG: "UTF-16", WINDOWS: "Windows-1252"}
NO_TEXT = "is not text, as it holds bytes that are 0"
FOUND = "UTF-8, UTF-16 or Windows-1252"
ALIASES = {"ascii": UTF8, "utf-8-sig": UTF8, "cp1252": WINDOWS, "iso8859-1": WINDOWS}
"""What a name of Python's codecs is read as; who says Latin-1 of a file with a euro sign means Windows-1252."""

COMPRESSED = (".gz", ".zst")
CHUNK_BYTES = 1 << 20
HEAD_BYTES = 1 << 16  # where UTF-16 without a byte order mark, and what is no text, are known by their zeros
LEAST_ASCII = 0.05  # of the characters of UTF-16: a separator or line end among twenty
_ASCII = bytes(range(0x80))
_UNKNOWN = frozenset(b"\x81\x8d\x8f\x90\x9d")  # no characters of Windows-1252
_BEYOND_LATIN = frozenset(range(0x80, 0xA0))
# letters of western languages, or typographic marks, in UTF-8: in Windows-1252 they are "Ã¼" and the like
_OF_UTF8 = re.compile(rb"[\xc2\xc3][\x80-\xbf]|\xe2\x80[\x80-\xbf]|\xe2\x82\xac")


@dataclass(frozen=True)
class Encoded:
    """A text file with the name of its encoding, and what DuckDB calls it; None where DuckDB cannot read it.

    ``ascii`` says that it has only characters that are the same in UTF-8 and Windows-1252.
    """

    file: Path
    name: str
    duckdb: str | None = None
    ascii: bool = False


@dataclass(frozen=True)
class ReadableTexts:
    """Text files as DuckDB can read them: the files or copies of them, and the ``encoding`` to give, None for UTF-8.

    ``name`` is the encoding to write down for the next time, where one other than UTF-8 was found for all.
    """

    files: tuple[Path, ...]
    encoding: str | None = None
    name: str | None = None
    copied: bool = False
    remarks: tuple[str, ...] = ()


def known_encoding(name: str) -> str:
    """The encoding that a name stands for; raises LookupError if none.

    >>> [known_encoding(name) for name in ("UTF8", "latin-1", "cp1252", "utf-16-le", "cp850")]
    ['utf-8', 'windows-1252', 'windows-1252', 'utf-16-le', 'cp850']
    """
    found: Any = codecs.lookup(name)
    if not found._is_text_encoding:
        raise LookupError(name)
    return ALIASES.get(found.name, str(found.name))


def readable_texts(files: Sequence[Path], named: str | None, new_folder: Callable[[], Path]) -> ReadableTexts:
    """The files as DuckDB can read them, with copies in UTF-8 in a new private folder where it cannot.

    Raises SourceError whose ``fields`` say of a file what is wrong, DatabaseError where there is no room for a copy.
    """
    looked_at = [encoded(file, named) for file in files]
    other = [one for one in looked_at if one.name != UTF8 and named is None]
    remarks = tuple(f"{one.file.name} is read as {TITLES[one.name]}, which was found from its bytes" for one in other)
    others = {UTF16 if one.name in (LITTLE, BIG) else one.name for one in looked_at if not one.ascii}
    name = others.pop() if len(others) == 1 else None
    kept = None if named is not None or name == UTF8 else name
    for_all = {one.duckdb for one in looked_at}
    if len(for_all) == 1 and None not in for_all:
        encoding = for_all.pop()
        return ReadableTexts(tuple(files), None if encoding == UTF8 else encoding, kept, False, remarks)
    folder = new_folder()
    copies = tuple(_copied(one, folder / str(place)) for place, one in enumerate(looked_at))
    return ReadableTexts(copies, None, kept, True, remarks)


def encoded(file: Path, named: str | None = None) -> Encoded:
    """A file with the encoding that is named, or that its bytes have, all of which are decoded.

    Raises SourceError whose ``fields`` say what is wrong with it. A file that cannot be opened, or unpacked, passes for
    UTF-8: its reader says what is the matter.
    """
    try:
        return _found(file) if named is None else _named(file, known_encoding(named), named)
    except (OSError, EOFError, zlib.error):
        return Encoded(file, UTF8, UTF8)


def read_text(file: Path, named: str | None = None) -> str:
    """A text file whole, without a byte order mark; raises SourceError as ``encoded`` does, and OSError."""
    with _opened(file) as stream:
        data: bytes = stream.read()
    return data.decode(encoded(file, named).name).removeprefix("\ufeff")


def beginning(file: Path, name: str, most: int) -> tuple[str, bool]:
    """The first characters of a text file, of so many bytes, and whether they are all; ``name`` may be DuckDB's."""
    with _opened(file) as stream:
        data: bytes = stream.read(most + 1)
    decoder = codecs.getincrementaldecoder(LITTLE if name == UTF16 else name)()
    return decoder.decode(data).removeprefix("\ufeff"), len(data) <= most


def blank_lines(text: str) -> int:
    """How many blank lines stand above the first that is not; 0 where all are blank.

    >>> blank_lines("\\n \\r\\na,b\\n"), blank_lines("\\n\\n")
    (2, 0)
    """
    above = sum(1 for _ in itertools.takewhile(lambda line: not line.strip(" \r"), text.split("\n")))
    return above if text.strip() else 0


def _found(file: Path) -> Encoded:
    head = _head(file)
    mark = _marked(head)
    if mark is not None or b"\0" in head:
        name = mark or _without_mark(head) or UTF8
        if not _decodes(file, name):
            raise _refused(file, NO_TEXT if name == UTF8 else "begins like UTF-16, and not all of it is")
        return Encoded(file, name, {UTF8: UTF8, LITTLE: UTF16}.get(name))
    ascii_ = _is_ascii(file)
    if ascii_ or _decodes(file, UTF8):
        return Encoded(file, UTF8, UTF8, ascii_)
    return _windows(file)


def _windows(file: Path) -> Encoded:
    """A file that is not UTF-8; raises SourceError if it is not Windows-1252 for certain."""
    held, mixed = _high_bytes(file)
    if mixed:
        raise _refused(file, f"is partly UTF-8 and partly not: line {_first_line_not_utf8(file):,} is not")
    if held & _UNKNOWN or _has_controls(_head(file)):
        raise _refused(file, f"is not {FOUND}")
    return Encoded(file, WINDOWS, None if held & _BEYOND_LATIN else "latin-1")


def _named(file: Path, name: str, asked: str) -> Encoded:
    head, title = _head(file), TITLES.get(name, asked)
    wide = name.startswith(("utf-16", "utf-32"))
    if name == UTF16:
        name = _marked(head) or _without_mark(head) or LITTLE
    if (name != UTF8 and wide != (b"\0" in head)) or not _decodes(file, name):
        raise _refused(file, f"is not {title}, as which it is to be read")
    if name in (UTF8, WINDOWS) and _is_ascii(file):
        return Encoded(file, name, UTF8, ascii=True)
    if name != WINDOWS:
        return Encoded(file, name, {UTF8: UTF8, LITTLE: UTF16}.get(name))
    held, mixed = _high_bytes(file)
    if mixed and _decodes(file, UTF8):
        raise _refused(file, f"is UTF-8, and not {title}, as which it is to be read")
    return Encoded(file, name, None if held & _BEYOND_LATIN else "latin-1")


def _refused(file: Path, fault: str) -> SourceError:
    return SourceError(f"the file {file.name} {fault}", fields=fault)


# -- bytes -------------------------------------------------------------------------------------------------------------


def _opened(file: Path) -> IO[bytes]:
    ending = file.suffix.lower()
    if ending == ".gz":
        return gzip.open(file, "rb")  # type: ignore[return-value]
    if ending == ".zst":
        import pyarrow

        stream: IO[bytes] = pyarrow.input_stream(str(file), compression="zstd")
        return stream
    return file.open("rb")


def _head(file: Path) -> bytes:
    with _opened(file) as stream:
        return stream.read(HEAD_BYTES)


def _chunks(file: Path) -> Iterator[bytes]:
    with _opened(file) as stream:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk


def _is_ascii(file: Path) -> bool:
    return all(chunk.isascii() for chunk in _chunks(file))


def _decodes(file: Path, name: str) -> bool:
    decoder = codecs.getincrementaldecoder(name)()
    try:
        for chunk in _chunks(file):
            if name != UTF8 or not chunk.isascii() or decoder.getstate()[0]:
                decoder.decode(chunk)
        decoder.decode(b"", True)
    except UnicodeError:
        return False
    return True


def _high_bytes(file: Path) -> tuple[frozenset[int], bool]:
    """The bytes of a file that are not ASCII, and whether some of them are characters of UTF-8."""
    held, mixed, before = set[int](), False, b""
    for chunk in _chunks(file):
        held.update(chunk.translate(None, _ASCII))
        mixed = mixed or (not chunk.isascii() and _OF_UTF8.search(before + chunk) is not None)
        before = chunk[-2:]
    return frozenset(held), mixed


def _first_line_not_utf8(file: Path) -> int:
    with _opened(file) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode(UTF8)
            except UnicodeDecodeError:
                return number
    return 0


def _has_controls(head: bytes) -> bool:
    """Whether there are control characters that no text has."""
    return bool(head.translate(None, b"\t\n\v\f\r\x1a\x1c\x1d\x1e\x1f" + bytes(range(0x20, 0x100))))


def _marked(head: bytes) -> str | None:
    """The UTF-16 that a byte order mark says."""
    if head.startswith(codecs.BOM_UTF32_LE):
        return None
    return next((n for n, m in ((LITTLE, codecs.BOM_UTF16_LE), (BIG, codecs.BOM_UTF16_BE)) if head.startswith(m)), None)


def _without_mark(head: bytes) -> str | None:
    """The UTF-16 that zeros in every other byte say, as its separators, digits and line ends have them.

    >>> _without_mark("a;b\\n".encode("utf-16-be")), _without_mark(b"a\\0b;c\\n")
    ('utf-16-be', None)
    """
    units = len(head) // 2
    first, second = head[0 : 2 * units : 2], head[1 : 2 * units : 2]
    counts = {name: _ascii_units(low, high) for name, low, high in ((LITTLE, first, second), (BIG, second, first))}
    name, other = sorted(counts, key=lambda one: -counts[one])
    return name if counts[name] >= max(1.0, LEAST_ASCII * units) and counts[name] > 4 * counts[other] else None


def _ascii_units(low: bytes, high: bytes) -> int:
    """How many of the pairs of bytes are a character of ASCII; none where one is the zero."""
    pairs = [one for one, other in zip(low, high, strict=True) if not other]
    return 0 if 0 in pairs else sum(one < 0x80 for one in pairs)


def _copied(one: Encoded, folder: Path) -> Path:
    """The file itself where it is UTF-8, or a copy of the same name that is."""
    if one.duckdb == UTF8:
        return one.file
    name = one.file.name.removesuffix(one.file.suffix) if one.file.suffix.lower() in COMPRESSED else one.file.name
    decoder = codecs.getincrementaldecoder(one.name)()
    try:
        folder.mkdir(mode=0o700)
        with (folder / name).open("wb") as copy:
            for place, chunk in enumerate(_chunks(one.file)):
                text = decoder.decode(chunk)
                copy.write((text if place else text.removeprefix("\ufeff")).encode(UTF8))
    except OSError as error:
        raise DatabaseError(
            f"{one.file.name} is {TITLES.get(one.name, one.name)}, and there can be no copy of it in UTF-8: "
            f"{error.strerror}. Free space, or save the file as UTF-8"
        ) from None
    return folder / name
