-- The leaves of taxonomies at each level above them, with their place on the line of numbers.
-- One row: a leaf of a column and a level.
-- Reads: taxonomy."<column>" of each column, frequency
-- Binds: columns (list), frequency (table)
-- Result: temporary table node_leaves: column_name, level, code, label, node_records, number, bounded. The values of a column
--   are counted by those of the frequency set that are listed as counted; bounded, whether it has bounds, is that of the item.
-- NULL: node_records where nothing counts them; number for text and what is not finite, a date being its seconds.
CREATE OR REPLACE TEMPORARY TABLE node_leaves AS
united(columns,
    SELECT
        {column} AS column_name,
        unnest([each(levels, {level})]) AS level,
        unnest([each(levels, leaves.code_{level}::INTEGER)]) AS code,
        unnest([each(levels, leaves.level_{level}::VARCHAR)]) AS label,
        each(counted, coalesce(held.records, 0); NULL)::BIGINT AS node_records,
        CASE
            WHEN typeof(leaves.value) = 'DATE' OR starts_with(typeof(leaves.value), 'TIMESTAMP')
                THEN epoch(try_cast(leaves.value AS TIMESTAMP))
            WHEN typeof(leaves.value) <> 'VARCHAR' AND isfinite(try_cast(leaves.value AS DOUBLE))
                THEN try_cast(leaves.value AS DOUBLE)
        END AS number,
        {bounded} AS bounded
    FROM "taxonomy"."{name}" AS leaves
    joins(counted,
        LEFT JOIN (
            SELECT "{counts}" AS value, sum("#records")::BIGINT AS records
            FROM frequency
            WHERE "{counts}" IS NOT NULL
            GROUP BY "{counts}"
        ) AS held ON held.value = leaves.value;
    )
)
