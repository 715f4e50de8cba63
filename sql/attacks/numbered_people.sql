-- What is known of the first people of a register, as the numbers of values.
-- One row: a person, in order.
-- Reads: register_people, numbered_values
-- Binds: known (list), $limit (value)
-- Result: v_1, the number of the value of each known attribute, of the persons up to $limit.
-- NULL: a value of its own.
SELECT each(known, v{number}.number AS v_{number})
FROM register_people AS s
joins(known,
    JOIN numbered_values AS v{number}
        ON v{number}.attribute = {number} AND v{number}.value IS NOT DISTINCT FROM s.a_{number}
)
WHERE s.person <= $limit
ORDER BY s.person
