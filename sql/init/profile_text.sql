-- How the sampled values of some columns look as text, to tell what each column holds.
-- One row: the sample.
-- Reads: source_sample
-- Binds: profiled (columns), $email (value), $phone (value), $date (value)
-- Result: four times one value per column, in the order of the columns: the shortest text and the longest, in
--   characters; the share of values that look like an e-mail address; the share that look like a telephone number and
--   not like a date.
-- NULL: left out; a column without values has NULL in all four.
SELECT
    min(length(CAST(COLUMNS(*) AS VARCHAR))),
    max(length(CAST(COLUMNS(*) AS VARCHAR))),
    avg(CAST(regexp_full_match(CAST(COLUMNS(*) AS VARCHAR), $email) AS INTEGER)),
    avg(CAST(
        regexp_full_match(CAST(COLUMNS(*) AS VARCHAR), $phone)
        AND NOT regexp_full_match(CAST(COLUMNS(*) AS VARCHAR), $date)
    AS INTEGER))
FROM (SELECT profiled FROM source_sample) AS block
