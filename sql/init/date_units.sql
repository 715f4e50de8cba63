-- How the sampled dates of a column spread over the units of the calendar, to propose a taxonomy of dates.
-- One row: all sampled dates.
-- Reads: sampled_dates
-- Result: days (between the first and the last), dates (that could be read), stamps (distinct ones), and the distinct
--   ones cut to the minute, hour, day, week, month, quarter, year, five years, decade and century; last_year (of the
--   last one).
-- NULL: days and last_year are NULL without a date.
SELECT
    date_diff('day', min(stamp), max(stamp)) AS days,
    count(stamp) AS dates,
    count(DISTINCT stamp) AS stamps,
    count(DISTINCT date_trunc('minute', stamp)) AS minutes,
    count(DISTINCT date_trunc('hour', stamp)) AS hours,
    count(DISTINCT date_trunc('day', stamp)) AS days_named,
    count(DISTINCT date_trunc('week', stamp)) AS weeks,
    count(DISTINCT date_trunc('month', stamp)) AS months,
    count(DISTINCT date_trunc('quarter', stamp)) AS quarters,
    count(DISTINCT year(stamp)) AS years,
    count(DISTINCT year(stamp) // 5) AS five_years,
    count(DISTINCT year(stamp) // 10) AS decades,
    count(DISTINCT year(stamp) // 100) AS centuries,
    max(year(stamp)) AS last_year
FROM sampled_dates
