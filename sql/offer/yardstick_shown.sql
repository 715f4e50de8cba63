-- What a candidate shows of the counted records, as the rows of a release: each row as often as it has records, numbered.
-- One row: a record that is not left out.
-- Reads: yardstick_rows, yardstick_shown
-- Binds: given (list), beside (list)
-- Result: temporary table workload_rows: "#row", from 1; "#equivalence", the number of its class; what is given of
--   quasi-identifiers, labels as text and values in their types; and columns beside them as the source holds them.
-- NULL: stays NULL.
CREATE OR REPLACE TEMPORARY TABLE workload_rows AS
SELECT
    row_number() OVER (ORDER BY "#at", "#repeat") AS "#row",
    "#equivalence",
    each(given, "{name}";),
    each(beside, "{name}";)
FROM (
    SELECT
        v."#at",
        s."#equivalence",
        each(given, s."{name}"::{kind} AS "{name}";),
        each(beside, v."{called}" AS "{name}";),
        unnest(range(v."#records")) AS "#repeat"
    FROM yardstick_shown AS s
    JOIN yardstick_rows AS v ON s."#at" = v."#at"
) AS held
