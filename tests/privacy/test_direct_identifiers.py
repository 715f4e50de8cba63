"""Direct identifiers in texts: what is one, what is not, and how many cells hold one."""

import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonduck.database.connection import Database
from anonduck.privacy.direct_identifiers import NAMES, as_json, direct_identifiers

HELD = {
    "emails": ["ada@example.org", "write to Ada <ada.b+c@mail.example.co.uk>, please", "mailto:a@b.it"],
    "phones": [
        *("+39 06 1234567", "call 0171 2345678 after six", "(555) 867-5309", "tel.: 212-555-0187.", "+447911123456"),
        "seen 2024-05-01 10:30, phone +1 (212) 555-0187",
    ],
    "ibans": ["DE89370400440532013000", "pay GB82 WEST 1234 5698 7654 32 today", "NO9386011117947"],
    "cards": ["4111 1111 1111 1111", "paid by 5500-0000-0000-0004", "378282246310005"],
    "urls": ["https://example.org/ada", "see www.example.com", "HTTP://EXAMPLE.ORG"],
    "ips": ["192.168.0.1", "from 10.0.0.255:80", "2001:0db8:0000:0000:0000:ff00:0042:8329"],
}
NONE = [
    *("", "nurse", "2024-05-01", "01.02.2024 10:30:00", "10:30:59", "12345", "1234567890", "0.123456789", "-3.5e10"),
    *("DE89370400440532013001", "4111 1111 1111 1112", "a@b", "1.2.3", "45.4642, 9.19", "00123", "A01.234"),
    *("[18, 25)", "18-25", "2019-2024", "12345*", "12 to under 18", "1,234,567", "999.999.999.999", "ID-0123-456789"),
]


def found_in(database, *columns):
    names = [f"c {place}" for place in range(len(columns))]
    database.register("made", pa.table([pa.array(one, pa.string()) for one in columns], names))
    return list(direct_identifiers(database, names, "made").values())


@pytest.mark.parametrize("kind", NAMES)
def test_each_kind_is_found_and_no_other(database, kind):
    for text in HELD[kind]:
        (one,) = found_in(database, [text, text, None, "nothing"])
        assert one.found == {kind: 2}, text
        assert one.cells == 3


@pytest.mark.parametrize("text", NONE)
def test_what_is_none(database, text):
    assert found_in(database, [text])[0].found == {}


@given(st.integers(13, 19), st.randoms(use_true_random=False))
def test_card_numbers_are_told_by_luhn(shared, digits, drawn):
    body = "4" + "".join(drawn.choice("0123456789") for _ in range(digits - 2))
    right = next(last for last in "0123456789" if luhn(body + last) % 10 == 0)
    for last in "0123456789":
        assert bool(found_in(shared, [f"card {body}{last}."])[0].cards) == (last == right)


def luhn(digits):
    return sum(
        sum(map(int, str(2 * int(digit)))) if place % 2 else int(digit) for place, digit in enumerate(reversed(digits))
    )


@given(st.text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=11, max_size=28), st.sampled_from(["DE", "GB", "NO"]))
def test_ibans_are_told_by_their_remainder(shared, body, country):
    rest = int("".join(str(int(mark, 36)) for mark in f"{body}{country}00")) % 97
    right = f"{98 - rest:02}"
    for check in {right, "11", "98", "57"}:
        (one,) = found_in(shared, [f"{country}{check}{body}"])
        assert bool(one.ibans) == (check == right)


def test_long_numbers_are_no_card_numbers_for_one_in_ten_has_the_digit(shared):
    drawn = random.Random(1)  # noqa: S311 - no secret
    numbers = [f"4{drawn.randrange(10**15):015}" for _ in range(500)]
    (one,) = found_in(shared, numbers)
    assert one.cards > 20
    assert one.found == {}


def test_free_text_is_many_texts_of_many_words(shared):
    notes = [f"the patient of room {n} was seen again" for n in range(60)]
    labels = [f"services of kind {n % 12} and others" for n in range(600)]
    names = [f"Ada Lovelace {n}" for n in range(60)]
    assert [one.free_text for one in found_in(shared, notes, notes[:30] * 2, labels[:60], names)] == [
        True,
        False,
        False,
        False,
    ]
    assert found_in(shared, [*notes, "a@b.it"])[0].words == "e-mail addresses in 2%"


def test_columns_are_told_apart_and_null_is_no_cell(shared):
    odd = found_in(shared, ["a@b.it", None, ""], [None, None, None], ["x", "http://a.it", "http://a.it"])
    assert [one.found for one in odd] == [{"emails": 1}, {}, {"urls": 2}]
    assert [one.cells for one in odd] == [2, 0, 3]
    assert list(as_json(dict(zip("abc", odd, strict=True)))) == ["a", "c"]


@pytest.mark.slow
def test_hundreds_of_columns_are_counted_in_little_memory():
    columns = [[f"v{place % 7}", None, "ada@example.org" if place % 3 == 0 else "x"] for place in range(400)]
    database = Database(threads=2, memory_limit="300MB")
    found = found_in(database, *columns)
    database.close()
    assert [(one.cells, one.emails) for one in found] == [(2, int(place % 3 == 0)) for place in range(400)]
