-- The rarest combinations of released values, as predicates that may hold for just one person.
-- One row: a combination.
-- Reads: released_rows
-- Binds: $seed (value), $limit (value)
-- Result: temporary table predicates: the columns of released_rows. Which of equally rare ones are taken depends on
--   the seed.
CREATE OR REPLACE TEMP TABLE predicates AS
SELECT *
FROM released_rows
ORDER BY records, hash(class, $seed::BIGINT), class
LIMIT $limit::BIGINT
