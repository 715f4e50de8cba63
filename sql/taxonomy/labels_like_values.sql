-- How many labels of a taxonomy read like one of its leaves.
-- One row: the count.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table), levels (list)
-- Result: the number of distinct labels of all levels that are a leaf's text.
-- NULL: is no label.
SELECT count(*)
FROM (
    SELECT DISTINCT label
    FROM (
        SELECT unnest(labels) AS label
        FROM (SELECT DISTINCT [each(levels, level_{level})] AS labels FROM taxonomy) AS paths
    ) AS listed
) AS named
WHERE label IN (SELECT value::VARCHAR FROM taxonomy)
