-- The nodes of a taxonomy of intervals: at each level, what lies between two neighbouring starts of that level.
-- One row: a node.
-- Reads: starts
-- Binds: $root (value), $low_words (value), $high_words (value), $under (value), $over (value)
-- Result: temporary table nodes: level (1 to $root), code, parent (its code one level up; NULL for the root), label: a
--   half-open interval; open ends in words (`under 18`, `90 and over`) if asked for; * for the root; the value itself
--   where a node holds -inf, inf or nan alone.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE nodes AS
WITH leveled AS (
    SELECT levels.level, starts.position, starts.text, starts.own, starts.rank
    FROM starts
    JOIN (SELECT unnest(range(1, $root::INTEGER + 1))::INTEGER AS level) AS levels ON starts.rank >= levels.level
),
spans AS (
    SELECT
        level,
        text,
        own,
        lead(text) OVER along AS next_text,
        row_number() OVER along AS code,
        sum((rank > level)::INTEGER) OVER along AS parent
    FROM leveled
    WINDOW along AS (PARTITION BY level ORDER BY position)
)
SELECT
    level,
    code::INTEGER AS code,
    CASE WHEN level < $root::INTEGER THEN parent::INTEGER END AS parent,
    CASE
        WHEN level = $root::INTEGER THEN '*'
        WHEN own IS NOT NULL THEN own
        WHEN text IS NULL AND $low_words::BOOLEAN THEN $under::VARCHAR || ' ' || next_text
        WHEN next_text IS NULL AND $high_words::BOOLEAN THEN text || ' ' || $over::VARCHAR
        ELSE coalesce('[' || text, '(-inf') || ', ' || coalesce(next_text, 'inf') || ')'
    END AS label
FROM spans
