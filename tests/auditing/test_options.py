"""The options of the audit and of the attack: the keywords of the public functions, checked once, unchangeable."""

import inspect
from dataclasses import MISSING, FrozenInstanceError, fields

import pytest

import anonduck
from anonduck.attacks.plan import AttackOptions
from anonduck.auditing.options import AuditOptions
from anonduck.errors import AuditError

OF_THE_DATABASE = {"database", "engine", "threads", "memory_limit", "tracer"}


@pytest.mark.parametrize(
    ("public", "options", "tables"),
    [
        (anonduck.audit, AuditOptions, {"target"}),
        (anonduck.attack, AttackOptions, {"release", "original", "control", "intruder"}),
    ],
)
def test_options_are_the_keywords_of_the_function_with_their_defaults(public, options, tables):
    keywords = inspect.signature(public).parameters
    held = {one.name: one for one in fields(options) if one.init}
    assert set(keywords) - tables - OF_THE_DATABASE == set(held)
    for name, one in held.items():
        default = keywords[name].default
        if default is None and one.default is MISSING:
            assert one.default_factory() == {}  # None is no entry
        else:
            assert one.default == default


def test_options_are_checked_at_birth_and_stay():
    for options, wrong in (
        (AuditOptions, {"sampling_fraction": 0}),
        (AuditOptions, {"risk_threshold": 1.5}),
        (AuditOptions, {"measures": "some"}),
        (AuditOptions, {"preset": "none of these"}),
        (AuditOptions, {"requirements": {"kk": 5}}),
        (AuditOptions, {"sensitive_values": {"s": ["x"]}}),
        (AuditOptions, {"uncompared": ["a"]}),
        (AttackOptions, {"guesses": 0}),
    ):
        with pytest.raises(AuditError):
            options(**wrong)
    with pytest.raises(FrozenInstanceError):
        AuditOptions().preset = "internal"


def test_what_an_audit_reads_follows_from_its_options():
    plain = AuditOptions(sensitive=["s"], measures="required", requirements={"k": 5})
    assert (plain.read, plain.required_k, plain.threshold, plain.persons) == ((), 5, 0.2, False)
    wide = AuditOptions(["q"], sensitive=["s"], class_="c", insensitive=["i"], entity="e", requirements={"l": 2})
    assert (wide.read, wide.others, wide.required_k) == (("s",), ["s", "c", "i", "e"], 1)
    against = AuditOptions(against="earlier.csv", requirements={"k": 5})
    assert (against.required_k, against.required_composition) == (5, 5)
    assert AttackOptions(class_="c").goals == ["c"]
    assert AttackOptions(class_="c", sensitive=["s"]).goals == ["s"]


@pytest.mark.parametrize(
    "role", [{"quasi_identifiers": []}, {"class_": "c"}, {"sensitive": ["s"]}, {"insensitive": ["i"]}]
)
def test_a_receipt_goes_with_no_option_that_names_roles(role):
    assert AuditOptions(receipt="r.json", entity="e").persons
    with pytest.raises(AuditError, match="leave out the options that do"):
        AuditOptions(receipt="r.json", **role)


def test_the_first_column_whose_order_is_of_no_sensitive_column_is_named():
    with pytest.raises(AuditError, match="order: 'a' is not among the sensitive columns"):
        AuditOptions(sensitive=["s"], order={"s": ["x"], "a": ["x"], "b": ["x"]})
