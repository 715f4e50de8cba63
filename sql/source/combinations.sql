-- About how many distinct combinations of values the source has.
-- One row: the whole source.
-- Reads: source
-- Binds: counted (columns), $one_in (value)
-- Result: as many times the distinct hashes that a number divides as that number says; one of 1 counts them all.
-- NULL: is a value of its own.
SELECT count(DISTINCT combination) * $one_in AS combinations
FROM (SELECT hash(s.counted) AS combination FROM source AS s)
WHERE combination % $one_in::UBIGINT = 0
