"""A rule as a transformer of scikit-learn, for records that no discovery saw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.errors import ConfigError, SourceError
from anonduck.models.estimators import transformer_bases
from anonduck.release.generalization import Generalization

if TYPE_CHECKING:
    import pandas as pd

UNMAPPED = ("refuse", "root")
_Transformer, _Estimator = transformer_bases()


class Generalizer(_Transformer, _Estimator):  # type: ignore[misc,valid-type]  # scikit-learn has no types
    """Shows records as a rule does, one by one: the columns that it names, at their levels; all others are left out.

    ``fit`` learns nothing: the taxonomies are those of the project. What comes out is a DataFrame in the order and with
    the index of what came in, which has the same labels as a release of the project's source. Nothing is left out to
    meet a requirement: it is for models that were trained on a release, not for releasing.

    Args:
        generalization: the rule with its taxonomies, as ``project.generalizer(rule)`` takes them from a project.
        unmapped: ``"refuse"`` values that a taxonomy does not know, or send them to its ``"root"`` label.

    A pickle of it holds values of the source: keep it as safe as the source.
    """

    def __init__(self, generalization: Generalization, unmapped: str = "refuse") -> None:
        self.generalization = generalization
        self.unmapped = unmapped

    def fit(self, X: Any, y: Any = None) -> Generalizer:  # noqa: N803 - scikit-learn's name
        """Note the columns of the records; raises SourceError for what is no table with the columns of the rule."""
        if self.unmapped not in UNMAPPED:
            raise ConfigError(f"`unmapped` is {self.unmapped!r}; choose among {', '.join(UNMAPPED)}")
        table = _table(X)
        self.generalization.refuse_missing(table)
        self.feature_names_in_ = np.asarray(table.columns, dtype=object)
        self.n_features_in_ = len(table.columns)
        return self

    def transform(self, X: Any) -> pd.DataFrame:  # noqa: N803 - scikit-learn's name
        """The records as the rule shows them; raises SourceError and TaxonomyError as a release does."""
        return self.generalization.labelled(_table(X), unmapped=self.unmapped)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The columns that the rule names, in the order of the source."""
        return np.asarray(self.generalization.names, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True


def _table(records: Any) -> pd.DataFrame:
    """Records as a pandas table; raises SourceError for what has no named columns."""
    import pandas as pd

    if isinstance(records, pd.DataFrame):
        return records
    if hasattr(records, "to_pandas"):
        converted: pd.DataFrame = records.to_pandas()
        return converted
    kind = f"{type(records).__module__}.{type(records).__name__}"
    raise SourceError(f"the records are a {kind}; give a pandas, Arrow or Polars table, whose columns have names")
