"""Settings that the tests of attacks share: without Splink, and with forests of few trees."""

from dataclasses import replace

import pytest

from anonduck.attacks import inference, splink_linkage
from anonduck.models.estimators import MODELS, Forest


@pytest.fixture(scope="module")
def without_splink():
    """As if Splink were not installed; tests/attacks/test_splink_linkage.py tests it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splink_linkage, "installed", lambda: False)
        yield


@pytest.fixture(scope="module")
def few_trees():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(inference.MODELS, "forest", replace(MODELS["forest"], make=lambda *_: Forest(trees=10)))
        yield
