-- The candidates of an offer, replacing earlier ones.
-- One row: a candidate.
-- Binds: $candidates (value)
-- Result: $candidates is a JSON array of candidates as `anonduck frontier --json` prints them, each with the offer that
--   it is of; candidate is that document.
-- NULL: in levels, a recoding that is no rule; in failed, a method that found a recoding.
CREATE OR REPLACE TABLE candidates AS
SELECT
    row_number() OVER () AS place,
    document ->> 'offer' AS offer,
    document ->> 'id' AS id,
    document ->> 'method' AS method,
    (document ->> 'k')::BIGINT AS k,
    (document ->> 'detail')::DOUBLE AS detail,
    (document ->> 'on_frontier')::BOOLEAN AS on_frontier,
    document ->> 'failed' AS failed,
    document::VARCHAR AS candidate
FROM (SELECT unnest(from_json($candidates::JSON, '["JSON"]')) AS document)
