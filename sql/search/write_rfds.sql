-- All RFDs of a discovery by coverage, replacing earlier ones.
-- One row: an RFD `X_phi -> class<=0` of one coverage.
-- Binds: $rfds (value)
-- Result: $rfds is a JSON array; violating_share is the share of all pairs of records that violate the RFD.
CREATE OR REPLACE TABLE rfds AS
SELECT unnest(
    from_json(
        $rfds::JSON,
        '[{"coverage": "DOUBLE", "levels": "MAP(VARCHAR, INTEGER)", "literal": "VARCHAR", "k": "BIGINT",
        "violating_pairs": "HUGEINT", "violating_share": "DOUBLE"}]'
    ),
    recursive := TRUE
)
