-- The distinct values of each column of a grouped table.
-- One row: a value of an attribute.
-- Reads: grouped_table (a_1, ..., records)
-- Binds: target (table), grouped_table (table), columns (list)
-- Result: temporary table target: attribute, value, records.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE target AS
united(columns,
    SELECT {number}::INTEGER AS attribute, a_{number} AS value, sum(records)::BIGINT AS records
    FROM grouped_table
    GROUP BY a_{number}
)
