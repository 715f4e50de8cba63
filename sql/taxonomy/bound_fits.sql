-- Whether a text is a value of a type of dates or times.
-- One row: the text.
-- Binds: $bound (value), $type (value)
-- Result: fits.
SELECT CASE $type::VARCHAR
    WHEN 'DATE' THEN try_cast($bound::VARCHAR AS DATE) IS NOT NULL
    WHEN 'TIME' THEN try_cast($bound::VARCHAR AS TIME) IS NOT NULL
    WHEN 'TIMESTAMP WITH TIME ZONE' THEN try_cast($bound::VARCHAR AS TIMESTAMP WITH TIME ZONE) IS NOT NULL
    WHEN 'TIMESTAMP_NS' THEN try_cast($bound::VARCHAR AS TIMESTAMP_NS) IS NOT NULL
    ELSE try_cast($bound::VARCHAR AS TIMESTAMP) IS NOT NULL
END AS fits
