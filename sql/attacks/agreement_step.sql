-- One step of expectation and maximization in the record linkage model of Fellegi and Sunter (1969).
-- One row: a column that is compared.
-- Reads: compared, agreement
-- Binds: $prior (value)
-- Result: place; m, the share of pairs that agree among those of one person, each pair counted by how likely it is
--   one, and never less than u: records of one person agree at least as often as others do, so that agreement never
--   counts against a pair (Winkler 1993); u stays.
-- NULL: does not occur.
WITH patterns AS (
    SELECT pattern, sum(records) AS records
    FROM compared
    GROUP BY pattern
), likely AS (
    SELECT
        patterns.pattern,
        patterns.records,
        exp(sum(CASE WHEN (patterns.pattern >> place) & 1 = 1 THEN ln(m) ELSE ln(1 - m) END)) AS matched,
        exp(sum(CASE WHEN (patterns.pattern >> place) & 1 = 1 THEN ln(u) ELSE ln(1 - u) END)) AS unmatched
    FROM patterns
    CROSS JOIN agreement
    GROUP BY patterns.pattern, patterns.records
), expected AS (
    SELECT
        pattern,
        records * ($prior::DOUBLE * matched / ($prior::DOUBLE * matched + (1 - $prior::DOUBLE) * unmatched)) AS pairs
    FROM likely
)
SELECT
    agreement.place,
    greatest(
        least(sum(expected.pairs * ((expected.pattern >> agreement.place) & 1)) / sum(expected.pairs), 1 - 1e-6),
        any_value(agreement.u)
    )::DOUBLE AS m,
    any_value(agreement.u) AS u
FROM expected
CROSS JOIN agreement
GROUP BY agreement.place
ORDER BY agreement.place
