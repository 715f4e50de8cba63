-- The records of a grouped table by the labels that can stand for their values, and by the positions of these.
-- One row: a combination of labels, positions and columns beside.
-- Reads: records_of (a_1, ..., records), covering
-- Binds: target (table), records_of (table), attributes (list), beside (list)
-- Result: temporary table target: the columns beside; per attribute l_1, the number of its label or a list of numbers, and
--   n_1, the position of the value on its line; records.
-- NULL: a value is matched as one of its own; l_1 and n_1 are NULL for a value that no label covers.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT
    each(beside, s."{name}";),
    each(attributes, {labels} AS l_{number}, c{number}.position AS n_{number}),
    sum(s.records)::BIGINT AS records
FROM records_of AS s
joins(attributes,
    LEFT JOIN covering AS c{number}
        ON c{number}.attribute = {number} AND c{number}.value IS NOT DISTINCT FROM s.a_{number}
)
GROUP BY ALL
