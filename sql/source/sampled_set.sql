-- The frequency set of a sample of the source, whose combinations are known by their hashes.
-- One row: a distinct combination of the sample.
-- Reads: source, drawn_sample
-- Binds: target (table), columns (list)
-- Result: table target: each column as "<name>@value", and "#records".
-- NULL: is a value of its own.
CREATE OR REPLACE TABLE target AS
SELECT
    each(columns, s."{name}" AS "{name}@value"),
    any_value(d.records) AS "#records"
FROM source AS s
JOIN drawn_sample AS d ON d.combination = hash(each(columns, s."{name}"))
GROUP BY each(columns, s."{name}")
