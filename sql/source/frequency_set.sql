-- The frequency set: the distinct combinations of the values of some columns, by one scan.
-- One row: a distinct combination.
-- Reads: source
-- Binds: columns (list)
-- Result: each column as "<name>@value", and "#records".
-- NULL: is a value of its own.
SELECT
    each(columns, "{name}" AS "{name}@value";),
    count(*) AS "#records"
FROM source
GROUP BY each(columns, "{name}";)
