"""Keys of the config that one call may be given other values for, as Python writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict


class Changes(TypedDict, total=False):
    """Settings of a discovery in place of the config's, for one call; each is described at its key in ``Config``."""

    search: str | None
    coverage: Sequence[float] | None
    coverage_over: str | None
    sample: int | str | None
    pattern_limit: int | None
    keep: Mapping[str, int | None] | Sequence[str | Mapping[str, int]] | None
    select: str | Mapping[str, str | float] | None
    measures: Sequence[str] | None
    weights: Mapping[str, float] | None
    models: Sequence[str] | None
    test_on: str | None
    split_by: str | None
    holdout: float | None
    budget: int | str | None
    time_limit: float | None
    max_rfds: int | None
    max_rules: int | None
    seed: int | None


class Settings(Changes, total=False):
    """Keys of the config as arguments, each described in ``Config``; ``source``, ``class`` and ``database`` stand apart
    in the calls that take these."""

    where: str | None
    identifiers: Sequence[str]
    entity: str | Mapping[str, str | int] | None
    sensitive: Sequence[str]
    sensitive_values: Mapping[str, object]
    insensitive: Sequence[str]
    drop: Sequence[str]
    quasi_identifiers: Sequence[str] | None
    taxonomies: Mapping[str, Mapping[str, object]]
    order: Mapping[str, Sequence[str]]
    labels: Mapping[str, Mapping[object, object]]
    requirement: Mapping[str, object]
    publication: Mapping[str, str]
    reviewed: str | Mapping[str, str] | None
    accepted_unattacked: str | Mapping[str, str] | None
    policy: str | None
    workload: str | None
    subgroups: Sequence[str]
    types: Mapping[str, str]
    csv: Mapping[str, object]
    missing_columns: str | None
    dates: Mapping[str, Mapping[str, object]]
    expected_types: Mapping[str, str]
    timezone: str
    nulls: str
    method: str
    methods: Mapping[str, Mapping[str, object]] | Sequence[str]
    rule: str | None
    show: str | Sequence[str] | Mapping[str, str]
    blocks: Sequence[Sequence[str]]
    bounds: str
    next: str
    cut_anew: float
    unmapped: str
    threads: int | None
    memory_limit: str | None
