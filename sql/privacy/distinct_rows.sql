-- The distinct rows of a release as texts, in their order.
-- One row: such a row.
-- Reads: release
-- Binds: columns (list), distributions (list)
-- Result: a_1 and so on, the columns as text, then a column of distributions as JSON text: an object that was a map, a text
--   that was JSON; records.
-- NULL: a value of its own, the last.
SELECT
    each(columns, "{name}"::VARCHAR AS a_{number};),
    each(distributions, to_json("{name}")::VARCHAR AS a_{number};),
    count(*) AS records
FROM release
GROUP BY ALL
ORDER BY ALL
