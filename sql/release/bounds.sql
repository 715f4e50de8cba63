-- The ends of the labels of a column, in its type.
-- One row: a label, also NULL.
-- Reads: given_bounds: label, lower and upper as texts, which are NULL at open ends, and is_value, whether it is a value
-- Binds: ends (table), kind (field), dates (list)
-- Result: temporary table ends: label, bound_from, bound_to, alike (the first label of equal ends). The upper end of a range
--   is not in it; of dates it is the day before. An end beyond the type is open.
-- NULL: an open end, or the label of records without a value.
CREATE OR REPLACE TEMPORARY TABLE ends AS
SELECT label, bound_from, bound_to, min(label) OVER (PARTITION BY bound_from, bound_to) AS alike
FROM (
    SELECT
        label,
        CASE WHEN is_value THEN lower::{kind} ELSE TRY_CAST(lower AS {kind}) END AS bound_from,
        CASE WHEN is_value THEN upper::{kind} ELSE TRY_CAST(upper AS {kind}) each(dates, - 1;) END AS bound_to
    FROM given_bounds
) AS typed
