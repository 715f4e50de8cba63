-- The records behind what is shown of a training part and of the fold that was held out.
-- One row: one of compared_shown, in the order of its number.
-- Reads: compared_shown
-- Result: records; tested, 1 for rows of the fold.
SELECT "#records"::BIGINT AS records, tested
FROM compared_shown
ORDER BY "#row"
