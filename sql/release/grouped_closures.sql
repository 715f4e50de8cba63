-- The distinct rows of a release by distributions, with the records of each.
-- One row: a combination of closures and a distribution.
-- Reads: given_closures, given_distributions
-- Binds: columns (list)
-- Result: table release_rows: each column, "#records".
-- NULL: a value of its own.
CREATE OR REPLACE TABLE release_rows AS
SELECT each(columns, {shown} AS "{name}@value"), sum(s."#records")::BIGINT AS "#records"
FROM given_closures AS s
JOIN given_distributions AS d ON s.distribution = d.distribution
GROUP BY ALL
