-- Whether a level has as many nodes as the level below it, and so adds no protection.
-- One row: the level; none where it does not.
-- Reads: the frequency set, the taxonomy of one column.
-- Binds: frequency (table), taxonomy (table), source_value (column), below (column), code (column)
-- Result: offender (NULL: no value is at fault), records (all that the column knows); no rows when the level is
--   coarser.
-- NULL: NULL records count for nothing here.
SELECT
    CAST(NULL AS VARCHAR) AS offender,
    CAST((SELECT coalesce(sum("#records"), 0) FROM frequency WHERE source_value IS NOT NULL) AS BIGINT) AS records
FROM taxonomy
HAVING count(DISTINCT code) >= count(DISTINCT below)
    AND count(*) > 1
