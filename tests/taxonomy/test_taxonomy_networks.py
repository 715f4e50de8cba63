"""IP networks against Python's ipaddress, and geohashes against bisection in exact fractions."""

import ipaddress
import re
from fractions import Fraction

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from labelling import check_tree, labelled, options

from anonduck.taxonomy.builders.codes import network_bits

STRANGER = "(not an address)"
ADDRESSES = st.ip_addresses(v=4).map(str) | st.ip_addresses(v=6).flatmap(
    lambda address: st.sampled_from([str(address), address.exploded, str(address).upper(), f" {address} "])
)
GAPS = st.lists(st.sampled_from(["0", "0", "1", "00ab", "ffff"]), min_size=8, max_size=8).map(":".join)
MAPPED = st.ip_addresses(v=4).map("::ffff:{}".format) | st.ip_addresses(v=4).map("1:2::{}".format)
NETWORKS = st.builds("{}/{}".format, ADDRESSES | GAPS | MAPPED, st.integers(0, 140))
ODD = st.text("01af:::..%/ 25é", max_size=24) | st.lists(st.sampled_from(["::", ":", "1", "0", "a.b", "1.2.3.4"])).map(
    "".join
)
ANY = st.none() | ADDRESSES | GAPS | GAPS.map(lambda text: str(ipaddress.ip_address(text))) | MAPPED | NETWORKS | ODD


@pytest.mark.parametrize(
    ("lengths", "bits"),
    [
        ([24, 16, 8], [(24, 64), (16, 48), (8, 32)]),
        ([32, 1], [(32, 80), (1, 18)]),
        ([64, 48, 32], [(24, 64), (16, 48), (8, 32)]),
        ([128, 90, 33, 8], [(32, 128), (32, 90), (8, 33), (0, 8)]),
    ],
)
def test_both_families_have_a_length_on_every_level(lengths, bits):
    assert network_bits(lengths) == bits


def network(text, four_bits, six_bits):
    """Oracle: Python's ipaddress; an IPv4 address in IPv6 is an IPv4 address."""
    body, slash, given_bits = text.lower().strip(" ").partition("/")
    body, percent, zone = body.partition("%")
    if (slash and not re.fullmatch("[0-9]{1,3}", given_bits)) or (percent and not re.fullmatch(r"[^%/\s]+", zone)):
        return STRANGER
    try:
        address = ipaddress.ip_address(body)
    except ValueError:
        return STRANGER
    bits = int(given_bits) if slash else address.max_prefixlen
    if bits > address.max_prefixlen:
        return STRANGER
    if address.version == 6 and address.ipv4_mapped and bits >= 96:
        address, bits = address.ipv4_mapped, bits - 96
    bits = min(bits, four_bits if address.version == 4 else six_bits)
    family = ipaddress.IPv4Network if address.version == 4 else ipaddress.IPv6Network
    return str(family((int(address), bits), strict=False))


LENGTHS = st.sets(st.integers(1, 32), max_size=4) | st.sets(st.integers(1, 128), min_size=1, max_size=4)


@pytest.mark.slow
@examples(40)
@given(st.lists(ANY, min_size=1, max_size=40), LENGTHS)
def test_networks_are_those_of_ipaddress_and_make_a_tree(shared, values, lengths):
    lengths = sorted(lengths or {24, 16, 8}, reverse=True)
    paths = labelled(shared, options(ip=lengths), values)
    check_tree(paths)
    for value, path in zip(values, paths, strict=True):
        if value is not None:
            assert path[1:-1] == tuple(network(value, four, six) for four, six in network_bits(lengths)), value


# -- positions ---------------------------------------------------------------------------------------------------------

DIGITS = "0123456789bcdefghjkmnpqrstuvwxyz"


def geohash(latitude, longitude, length):
    """Oracle: the half that holds the position, again and again, in exact fractions."""
    halves = [(Fraction(-180), Fraction(180), Fraction(longitude)), (Fraction(-90), Fraction(90), Fraction(latitude))]
    bits = ""
    for bit in range(5 * length):
        low, high, position = halves[bit % 2]
        middle = (low + high) / 2
        bits += "1" if position >= middle else "0"
        halves[bit % 2] = (middle, high, position) if position >= middle else (low, middle, position)
    return "".join(DIGITS[int(bits[at : at + 5], 2)] for at in range(0, len(bits), 5))


def test_positions_by_their_cell(database):
    values = [
        "42.605,-5.603",
        " 57.64911 , 10.40744 ",
        "90,180",
        "90.1,0",
        "0,-181",
        "1,2,3",
        "nan,0",
        "somewhere",
        None,
    ]
    nowhere = ("(not a position)", "(not a position)", "*")
    assert labelled(database, options(geohash=[6, 3]), values) == [
        ("42.605,-5.603", "ezs42s", "ezs", "*"),
        (" 57.64911 , 10.40744 ", "u4pruy", "u4p", "*"),
        ("90,180", "zzzzzz", "zzz", "*"),
        ("90.1,0", *nowhere),
        ("0,-181", *nowhere),
        ("1,2,3", *nowhere),
        ("nan,0", *nowhere),
        ("somewhere", *nowhere),
        (None, None, None, None),
    ]


def bounds(half):
    """Coordinates at and beside the bounds of cells."""
    places = st.integers(0, 2**30).map(lambda cell: cell * 2 * half / 2**30 - half)
    return places | places.map(lambda place: max(-half, place - 1e-16)) | st.floats(-half, half)


@pytest.mark.slow
@examples(40)
@given(st.lists(st.tuples(bounds(90), bounds(180)), min_size=1))
def test_geohashes_are_those_of_bisection_and_make_a_tree(shared, positions):
    paths = labelled(shared, options(geohash=[12, 5, 1]), [f"{north!r},{east!r}" for north, east in positions])
    check_tree(paths)
    for (north, east), path in zip(positions, paths, strict=True):
        assert path[1] == geohash(north, east, 12)
        assert path[2:4] == (path[1][:5], path[1][:1])
