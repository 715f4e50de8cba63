-- The cut of a column: what each of its values shows.
-- One row: a value.
-- Reads: the lookup of the column, cut_codes (leaf_code, shown_level)
-- Binds: lookup (table), shown (table), over (list), floats (list), $root (value), $root_label (value)
-- Result: temporary table shown: key, node_level, label, leaf (where the node is one value). Levels are those over 0 and
--   under the root. A value that the taxonomy does not know has no node but the root. Minus zero is zero.
-- NULL: a value beside all nodes under the root.
CREATE OR REPLACE TEMPORARY TABLE shown AS
SELECT
    value AS key,
    node_level,
    CASE node_level
        WHEN 0 THEN own::VARCHAR
        branches(over, WHEN {level} THEN level_{level};)
        ELSE $root_label::VARCHAR
    END AS label,
    CASE WHEN node_level = 0 THEN own END AS leaf
FROM (
    SELECT
        l.*,
        each(floats, CASE WHEN l.value = 0 THEN 0 ELSE l.value END; l.value) AS own,
        CASE WHEN l.code_1 IS NULL THEN $root::INTEGER ELSE c.shown_level END AS node_level
    FROM lookup AS l
    JOIN cut_codes AS c ON l.code_0 = c.leaf_code
) AS leveled
UNION ALL
SELECT NULL, shown_level, CASE WHEN shown_level = $root::INTEGER THEN $root_label::VARCHAR END, NULL
FROM cut_codes
WHERE leaf_code = 0
