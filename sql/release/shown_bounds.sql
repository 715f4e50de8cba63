-- What a column shows, with the ends of its labels in the type of the column.
-- One row: a key, as before.
-- Reads: the table shown; given_bounds: label, lower and upper as texts, which are NULL at open ends, and is_value, whether
--   it is a value
-- Binds: shown (table), kind (field), dates (list)
-- Result: the temporary table shown, with bound_from, bound_to, alike (the first label of equal ends). The upper end of a
--   range is not in it; of dates it is the day before. An end beyond the type is open.
-- NULL: an open end, or the label of records without a value.
CREATE OR REPLACE TEMPORARY TABLE shown AS
SELECT before.*, ends.bound_from, ends.bound_to, ends.alike
FROM shown AS before
LEFT JOIN (
    SELECT label, bound_from, bound_to, min(label) OVER (PARTITION BY bound_from, bound_to) AS alike
    FROM (
        SELECT
            label,
            CASE WHEN is_value THEN lower::{kind} ELSE TRY_CAST(lower AS {kind}) END AS bound_from,
            CASE WHEN is_value THEN upper::{kind} ELSE TRY_CAST(upper AS {kind}) each(dates, - 1;) END AS bound_to
        FROM given_bounds
    ) AS typed
) AS ends ON before.label IS NOT DISTINCT FROM ends.label
