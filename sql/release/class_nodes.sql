-- The smallest common node of each class in a column: the lowest level at which all its records have the same code.
-- One row: a class.
-- Reads: release_set, the lookup of the column, least_levels where classes are raised
-- Binds: raw_value (column), lookup (table), shown (table), levels (list), over (list), floats (list), raised (list),
--   $root (value), $root_label (value)
-- Result: temporary table shown: key (the class), node_level, label, leaf (where it is one value). Levels are those under the
--   root, and those over 0. A value that the taxonomy does not know has no node but the root; a raised class none under
--   its least level. Minus zero is zero.
-- NULL: has code 0 at each level; a raised class of nothing else shows it under the root, whatever its least level.
CREATE OR REPLACE TEMPORARY TABLE shown AS
SELECT
    assigned AS key,
    node_level,
    CASE node_level
        WHEN 0 THEN least::VARCHAR
        branches(over, WHEN {level} THEN label_{level};)
        ELSE $root_label::VARCHAR
    END AS label,
    CASE WHEN node_level = 0 THEN least END AS leaf
FROM (
    SELECT
        shared.*,
        CASE
            branches(levels,
                WHEN known AND shared_{level} AND all_of(raised,
                    (r.least_level <= {level} OR (least IS NULL AND r.least_level < $root::INTEGER)); TRUE) THEN {level}
            )
            ELSE $root::INTEGER
        END AS node_level
    FROM (
        SELECT
            s."#assigned" AS assigned,
            bool_and(s.raw_value IS NULL OR l.code_1 IS NOT NULL) AS known,
            each(levels, min(coalesce(l.code_{level}, 0)) = max(coalesce(l.code_{level}, 0)) AS shared_{level}),
            min(each(floats, CASE WHEN s.raw_value = 0 THEN 0 ELSE s.raw_value END; s.raw_value)) AS least,
            each(over, min(l.level_{level}) AS label_{level};)
        FROM release_set AS s
        LEFT JOIN lookup AS l ON s.raw_value = l.value
        GROUP BY s."#assigned"
    ) AS shared
    joins(raised, JOIN least_levels AS r ON shared.assigned = r.assigned AND r.attribute = {attribute};)
) AS leveled
