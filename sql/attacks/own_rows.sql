-- The released rows that agree with the records of people in all attributes.
-- One row: a record and such a row, in order of person and class.
-- Reads: placed_people, released_rows
-- Binds: attributes (list)
-- Result: person, record, class, records (of the row).
-- NULL: a value that no label covers agrees with no row.
SELECT t.person, t.record, c.class, c.records
FROM placed_people AS t
JOIN released_rows AS c ON all_of(attributes, {agrees})
ORDER BY t.person, c.class
