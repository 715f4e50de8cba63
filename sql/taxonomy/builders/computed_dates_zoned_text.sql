-- Dates written as text with an offset or a zone, read by a format and shown by the clock of one zone.
-- One row: a row of the relation held.
-- Reads: held (a relation with the column value: the distinct values of a column)
-- Binds: held (table), $format (value), $zone (value)
-- Result: value, stamp (TIMESTAMP: local time; NULL where the text is not of the format).
-- NULL: stays NULL.
SELECT
    value,
    CASE
        WHEN regexp_matches(CAST(value AS VARCHAR), '[0-9]')
            THEN timezone($zone, try_strptime(CAST(value AS VARCHAR), $format))
    END AS stamp
FROM held
