-- The cuts with their ranks counted over the levels that are kept; with them those that set infinities and NaN apart.
-- One row: a cut of a kept level.
-- Reads: ended_cuts, leaves
-- Binds: $kept (value)
-- Result: temporary table starts: position (from 0; the first row is open below), lower, text, rank: the start is one
--   of the levels 1 to rank, of which $kept lists the old numbers; own: what the node is called that holds -inf, inf or
--   nan alone, at every level under the root. All three have one where a leaf is any of them.
-- NULL: lower and text of the first start, own of all others; text where a value has a node of its own, and of the
--   smallest finite number, where all other numbers start.
CREATE OR REPLACE TEMP TABLE starts AS
WITH apart AS (
    SELECT value AS example
    FROM leaves
    WHERE value::VARCHAR IN ('-inf', 'inf', 'nan') AND len($kept::INTEGER[]) > 0
    LIMIT 1
),
ranked AS (
    SELECT
        lower,
        text,
        len(list_filter($kept::INTEGER[], lambda level: level <= rank))::INTEGER AS kept_rank,
        NULL::VARCHAR AS own
    FROM ended_cuts
    UNION ALL
    SELECT
        cast_to_type(
            unnest([if(typeof(example) = 'FLOAT', '-3.4028235e38', '-1.7976931348623157e308'), 'inf', 'nan']),
            example
        ),
        NULL,
        len($kept::INTEGER[])::INTEGER,
        unnest([NULL, 'inf', 'nan'])
    FROM apart
)
SELECT
    0::BIGINT AS position,
    NULL AS lower,
    NULL AS text,
    len($kept::INTEGER[])::INTEGER + 1 AS rank,
    (SELECT '-inf' FROM apart) AS own
UNION ALL
SELECT row_number() OVER (ORDER BY lower) AS position, lower, text, kept_rank, own
FROM ranked
WHERE kept_rank > 0
ORDER BY position
