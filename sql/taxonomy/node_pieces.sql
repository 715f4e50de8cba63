-- The intervals of taxonomies at each level above the leaves, by their place among the intervals of level 1.
-- One row: an interval of level 1 of a column and a level.
-- Reads: bounds."<column>" of each column
-- Binds: columns (list)
-- Result: temporary table node_pieces: column_name, level, code, place, start (a date by its seconds, infinity for text).
-- NULL: start is NULL of the interval that is open below.
CREATE OR REPLACE TEMPORARY TABLE node_pieces AS
united(columns,
    SELECT
        {column} AS column_name,
        unnest([each(levels, {level})]) AS level,
        unnest([each(levels, pieces.code_{level}::INTEGER)]) AS code,
        row_number() OVER (ORDER BY pieces.lower NULLS FIRST) AS place,
        CASE
            WHEN pieces.lower IS NULL THEN NULL
            WHEN typeof(pieces.lower) = 'DATE' OR starts_with(typeof(pieces.lower), 'TIMESTAMP')
                THEN coalesce(epoch(try_cast(pieces.lower AS TIMESTAMP)), 'inf'::DOUBLE)
            ELSE coalesce(try_cast(pieces.lower AS DOUBLE), 'inf'::DOUBLE)
        END AS start
    FROM "bounds"."{name}" AS pieces;
    SELECT '' AS column_name, 0 AS level, 0 AS code, 0 AS place, 0.0::DOUBLE AS start
    WHERE FALSE
)
