-- The records of a grouped table by the numbers of their values.
-- One row: a combination of numbers.
-- Reads: records_of (a_1, ..., records), numbered_values
-- Binds: records_of (table), known (list)
-- Result: v_1, the number of the value of each known attribute; records.
-- NULL: a value of its own.
SELECT each(known, v{number}.number AS v_{number}), sum(s.records)::BIGINT AS records
FROM records_of AS s
joins(known,
    JOIN numbered_values AS v{number}
        ON v{number}.attribute = {number} AND v{number}.value IS NOT DISTINCT FROM s.a_{number}
)
GROUP BY ALL
