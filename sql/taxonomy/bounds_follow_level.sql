-- Gives the intervals of one level the label and the code that the taxonomy's edited table gives to their leaves.
-- One row: a level-1 interval.
-- Reads: bounds."<column>", taxonomy."<column>"
-- Binds: bounds (table), taxonomy (table), label (column), code (column)
-- Result: label and code of each node of the level are those of the first leaf in it; a node without leaves stays.
-- NULL: a lower bound that is open.
UPDATE bounds
SET label = renamed.new_label, code = renamed.new_code
FROM (
    SELECT
        coalesce(closed.node, open.node) AS old_code,
        min_by(taxonomy.label, taxonomy.value) AS new_label,
        min_by(taxonomy.code, taxonomy.value) AS new_code
    FROM taxonomy
    ASOF LEFT JOIN (SELECT lower, code AS node FROM bounds WHERE lower IS NOT NULL) AS closed
        ON taxonomy.value >= closed.lower
    LEFT JOIN (SELECT code AS node FROM bounds WHERE lower IS NULL) AS open ON TRUE
    GROUP BY ALL
) AS renamed
WHERE code = renamed.old_code
