-- How many texts of a CSV file's columns have the form of a number, a date or a time. Each column stands under the name
-- of the form that is asked about: whole_, plain_, odd_, ymd_ and so on, and the column's place.
-- One row: all files.
-- Reads: texts (columns of the file, as text; without blanks at their ends where they are odd_ or may have some), in
--   one scan
-- Binds: texts (table), $fixed (value), $plain (value), $loose (value), $decimal (value), $thousands (value), $dateformat (value), $timestampformat (value)
-- Result: a number for each count and column: the counts in the order below, each for the columns of its form in their
--   order. The first column of a form is its stand-in, which holds NULL, as a list of columns may not be empty. A value
--   that is NULL because no format is given has no date.
-- NULL: is no text, and counts nowhere; a least or greatest of no text is NULL.
SELECT
    -- whole: numbers of up to 64 bits as they are usually written
    count(COLUMNS('^whole_')),
    count_if(CAST(TRY_CAST(COLUMNS('^whole_') AS BIGINT) AS VARCHAR) = COLUMNS('^whole_')),
    -- fixed: plain numbers with decimals; least and greatest number of these; the longest
    count(COLUMNS('^fixed_')),
    count_if(regexp_full_match(COLUMNS('^fixed_'), $fixed)),
    min(length(COLUMNS('^fixed_')) - strpos(COLUMNS('^fixed_'), $decimal)),
    max(length(COLUMNS('^fixed_')) - strpos(COLUMNS('^fixed_'), $decimal)),
    max(length(COLUMNS('^fixed_'))),
    -- plain: numbers whose digits say what they are; those with decimals; least and greatest number of characters after
    -- the separator of decimals, or of all; the longest; those whose last decimal is zero, and whose only one is
    count(COLUMNS('^plain_')),
    count_if(regexp_full_match(COLUMNS('^plain_'), $plain)),
    count_if(contains(COLUMNS('^plain_'), $decimal)),
    min(length(COLUMNS('^plain_')) - strpos(COLUMNS('^plain_'), $decimal)),
    max(length(COLUMNS('^plain_')) - strpos(COLUMNS('^plain_'), $decimal)),
    max(length(COLUMNS('^plain_'))),
    count_if(suffix(COLUMNS('^plain_'), '0') AND contains(COLUMNS('^plain_'), $decimal)),
    count_if(suffix(COLUMNS('^plain_'), concat($decimal, '0'))),
    -- odd: numbers of any form; those that are no number by definition; those with leading zeros or a plus sign; those
    -- that a double holds with all their digits; and those that are written as a double is
    count(COLUMNS('^odd_')),
    count_if(regexp_full_match(COLUMNS('^odd_'), $loose)),
    count_if(lower(COLUMNS('^odd_')) = 'nan'),
    count_if(regexp_full_match(COLUMNS('^odd_'), '[+-]?0[0-9].*|[+].*')),
    count_if(
        lower(COLUMNS('^odd_')) = 'nan'
        OR length(replace(replace(COLUMNS('^odd_'), $thousands, ''), $decimal, '')) <= 15
        AND isfinite(TRY_CAST(replace(replace(COLUMNS('^odd_'), $thousands, ''), $decimal, '.') AS DOUBLE))
        AND (
            abs(TRY_CAST(replace(replace(COLUMNS('^odd_'), $thousands, ''), $decimal, '.') AS DOUBLE)) > 1e-300
            OR NOT regexp_matches(COLUMNS('^odd_'), '^[^eE]*[1-9]')
        )
        OR regexp_replace(
            CAST(TRY_CAST(replace(replace(COLUMNS('^odd_'), $thousands, ''), $decimal, '.') AS DOUBLE) AS VARCHAR),
            '[.]0$',
            ''
        )
        = CASE
            WHEN strpos(lower(COLUMNS('^odd_')), 'e') > 0 THEN lower(COLUMNS('^odd_'))
            WHEN strpos(COLUMNS('^odd_'), $decimal) > 0
                THEN rtrim(
                    rtrim(replace(replace(COLUMNS('^odd_'), $thousands, ''), $decimal, '.'), '0'),
                    '.'
                )
            ELSE replace(COLUMNS('^odd_'), $thousands, '')
        END
    ),
    count_if(
        CAST(TRY_CAST(replace(COLUMNS('^odd_'), $decimal, '.') AS DOUBLE) AS VARCHAR)
        = replace(COLUMNS('^odd_'), $decimal, '.')
    ),
    -- iso: dates of four-digit years as the standard (ISO 8601) writes them, which are as long
    count(COLUMNS('^iso_')),
    count_if(length(COLUMNS('^iso_')) = 10 AND CAST(TRY_CAST(COLUMNS('^iso_') AS DATE) AS VARCHAR) = COLUMNS('^iso_')),
    -- ymd, ydot, dmy, mdy: dates of four-digit years; how many of them have slashes, and how many dots
    count(COLUMNS('^ymd_')),
    count(
        CASE
            WHEN regexp_full_match(COLUMNS('^ymd_'), '[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}') AND NOT starts_with(COLUMNS('^ymd_'), '0000')
                THEN TRY_CAST(COLUMNS('^ymd_') AS DATE)
        END
    ),
    count_if(contains(COLUMNS('^ymd_'), '/')),
    count_if(contains(COLUMNS('^ymd_'), '.')),
    count(COLUMNS('^ydot_')),
    count(
        CASE
            WHEN regexp_full_match(COLUMNS('^ydot_'), '[0-9]{4}[.][0-9]{1,2}[.][0-9]{1,2}') AND NOT starts_with(COLUMNS('^ydot_'), '0000')
                THEN TRY_CAST(replace(COLUMNS('^ydot_'), '.', '-') AS DATE)
        END
    ),
    count_if(contains(COLUMNS('^ydot_'), '/')),
    count_if(contains(COLUMNS('^ydot_'), '.')),
    count(COLUMNS('^dmy_')),
    count(
        CASE
            WHEN regexp_full_match(COLUMNS('^dmy_'), '(0?[1-9]|[12][0-9]|3[01])[-/.](0?[1-9]|1[0-2])[-/.][0-9]{4}')
                THEN try_strptime(replace(replace(COLUMNS('^dmy_'), '/', '-'), '.', '-'), '%d-%m-%Y')
        END
    ),
    count_if(contains(COLUMNS('^dmy_'), '/')),
    count_if(contains(COLUMNS('^dmy_'), '.')),
    count(COLUMNS('^mdy_')),
    count(
        CASE
            WHEN regexp_full_match(COLUMNS('^mdy_'), '(0?[1-9]|1[0-2])[-/.](0?[1-9]|[12][0-9]|3[01])[-/.][0-9]{4}')
                THEN try_strptime(replace(replace(COLUMNS('^mdy_'), '/', '-'), '.', '-'), '%m-%d-%Y')
        END
    ),
    count_if(contains(COLUMNS('^mdy_'), '/')),
    count_if(contains(COLUMNS('^mdy_'), '.')),
    -- dmystamp, mdystamp, mdyclock: moments after such dates, of 24, 12 and 24 hours
    count(COLUMNS('^dmystamp_')),
    count(
        CASE
            WHEN regexp_full_match(COLUMNS('^dmystamp_'), '(0?[1-9]|[12][0-9]|3[01])[-/.](0?[1-9]|1[0-2])[-/.][0-9]{4} [0-2]?[0-9]:[0-5][0-9]:[0-5][0-9]')
                THEN try_strptime(replace(replace(COLUMNS('^dmystamp_'), '/', '-'), '.', '-'), '%d-%m-%Y %H:%M:%S')
        END
    ),
    count_if(contains(COLUMNS('^dmystamp_'), '/')),
    count_if(contains(COLUMNS('^dmystamp_'), '.')),
    count(COLUMNS('^mdystamp_')),
    count(
        CASE
            WHEN regexp_full_match(COLUMNS('^mdystamp_'), '(0?[1-9]|1[0-2])[-/.](0?[1-9]|[12][0-9]|3[01])[-/.][0-9]{4} [01]?[0-9]:[0-5][0-9]:[0-5][0-9] [AaPp][Mm]')
                THEN try_strptime(replace(replace(COLUMNS('^mdystamp_'), '/', '-'), '.', '-'), '%m-%d-%Y %I:%M:%S %p')
        END
    ),
    count_if(contains(COLUMNS('^mdystamp_'), '/')),
    count_if(contains(COLUMNS('^mdystamp_'), '.')),
    count(COLUMNS('^mdyclock_')),
    count(
        CASE
            WHEN regexp_full_match(COLUMNS('^mdyclock_'), '(0?[1-9]|1[0-2])[-/.](0?[1-9]|[12][0-9]|3[01])[-/.][0-9]{4} [0-2]?[0-9]:[0-5][0-9]:[0-5][0-9]')
                THEN try_strptime(replace(replace(COLUMNS('^mdyclock_'), '/', '-'), '.', '-'), '%m-%d-%Y %H:%M:%S')
        END
    ),
    count_if(contains(COLUMNS('^mdyclock_'), '/')),
    count_if(contains(COLUMNS('^mdyclock_'), '.')),
    -- stamp, zoned, time: moments and times as the standard (ISO 8601) writes them, to the microsecond
    count(COLUMNS('^stamp_')),
    count(
        CASE
            WHEN regexp_full_match(COLUMNS('^stamp_'), '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}[ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?( UTC)?')
                THEN TRY_CAST(COLUMNS('^stamp_') AS TIMESTAMP)
        END
    ),
    count(COLUMNS('^zoned_')),
    count(
        CASE
            WHEN regexp_full_match(COLUMNS('^zoned_'), '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}[ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?| [A-Z][A-Za-z]+(/[A-Za-z_]+)*)')
                THEN TRY_CAST(COLUMNS('^zoned_') AS TIMESTAMP WITH TIME ZONE)
        END
    ),
    count(COLUMNS('^time_')),
    count(
        CASE
            WHEN regexp_full_match(COLUMNS('^time_'), '[0-2]?[0-9]:[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?')
                THEN TRY_CAST(COLUMNS('^time_') AS TIME)
        END
    ),
    -- given, givenstamp: dates and moments in the formats that the config names
    count(COLUMNS('^given_')),
    count(try_strptime(COLUMNS('^given_'), $dateformat)),
    count(COLUMNS('^givenstamp_')),
    count(try_strptime(COLUMNS('^givenstamp_'), $timestampformat))
FROM texts
