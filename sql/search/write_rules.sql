-- All rules of a discovery, replacing earlier ones.
-- One row: a rule.
-- Binds: $rules (value)
-- Result: $rules is a JSON array of rules as `anonduck rules --json` prints them.
-- NULL: in rfd, the raised levels that were not counted; the information kept of a column that has one value only;
--   the ROC AUC of a model that ranks no class; whether a rule of another search than an exact one is proven; whether a
--   rule tells nothing of the class, and whether its equivalence classes are associated with it, where that was not
--   measured; a model or utility that was not measured has no entry in the maps; information gains, pairs and k with
--   the class where there is no class.
CREATE OR REPLACE TABLE rules AS
SELECT unnest(
    from_json(
        $rules::JSON,
        '[{"id": "VARCHAR", "levels": "MAP(VARCHAR, INTEGER)", "literal": "VARCHAR", "origin": "VARCHAR",
        "origins": "MAP(VARCHAR, VARCHAR)", "parents": ["VARCHAR"], "coverages": ["DOUBLE"], "k": "BIGINT",
        "k_with_class": "BIGINT", "classes": "BIGINT", "suppressed": "BIGINT", "privacy": "JSON", "information_gain": "DOUBLE",
        "information_gain_corrected": "DOUBLE", "alike_pairs": "HUGEINT", "violating_pairs": "HUGEINT",
        "violating_share": "DOUBLE",
        "rfd": "JSON", "information_kept": "MAP(VARCHAR, DOUBLE)", "information_kept_overall": "DOUBLE",
        "accuracy": "MAP(VARCHAR, DOUBLE)", "accuracy_standard_error": "MAP(VARCHAR, DOUBLE)", "balanced_accuracy": "MAP(VARCHAR, DOUBLE)",
        "macro_f1": "MAP(VARCHAR, DOUBLE)", "roc_auc": "MAP(VARCHAR, DOUBLE)", "utility": "MAP(VARCHAR, DOUBLE)",
        "proven": "BOOLEAN",
        "on_frontier": "BOOLEAN", "equal_to": ["VARCHAR"], "tied_with": ["VARCHAR"], "tells_nothing": "BOOLEAN",
        "associated": "BOOLEAN",
        "fold_accuracy": "MAP(VARCHAR, DOUBLE[])", "fold_balanced_accuracy": "MAP(VARCHAR, DOUBLE[])"}]'
    ),
    recursive := TRUE
)
