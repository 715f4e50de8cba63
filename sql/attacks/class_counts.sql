-- How the records of each label of an attribute are spread over the classes of the known columns.
-- One row: a label, a size of classes and a number of records in such a class that have the label.
-- Reads: released_rows
-- Binds: known (list), about (list)
-- Result: label, records (of the class), holders, classes: how many there are of so many records and holders; in order.
SELECT label, records, holders, count(*) AS classes
FROM (
    SELECT
        each(about, s.l_{number}) AS label,
        sum(s.records)::BIGINT AS holders,
        sum(sum(s.records)) OVER (PARTITION BY each(known, s.l_{number}))::BIGINT AS records
    FROM released_rows AS s
    GROUP BY each(known, s.l_{number}), each(about, s.l_{number})
) AS held
GROUP BY label, records, holders
ORDER BY label, records, holders
