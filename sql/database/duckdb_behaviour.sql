-- What anonduck takes for granted of DuckDB alone, where another version could differ.
-- One row: a behaviour.
-- Result: behaviour, its words; value, the text of what an expression gives here; expected, that of the versions that
--   anonduck was tested with.
-- NULL: of a value, the expression is NULL, as one of them is expected to be.
SELECT
    'sums, extremes and averages leave out NULL' AS behaviour,
    [sum(value), min(value), max(value), avg(value), any_value(value)]::VARCHAR AS value,
    '[3.0, 1.0, 2.0, 1.5, 1.0]' AS expected
FROM (VALUES (NULL), (1), (2)) AS held (value)
UNION ALL
SELECT 'bool_or and bool_and leave out NULL', [bool_or(value), bool_and(value)]::VARCHAR, '[true, true]'
FROM (VALUES (NULL), (TRUE)) AS held (value)
UNION ALL
SELECT 'a sum of nothing is NULL', (sum(value) FILTER (WHERE value > 2))::VARCHAR, NULL
FROM (VALUES (NULL), (1), (2)) AS held (value)
UNION ALL
SELECT 'arg_min leaves out NULL', arg_min(value, place)::VARCHAR, '2'
FROM (VALUES (1, NULL), (NULL, 1), (2, 3), (3, 4)) AS held (value, place)
UNION ALL
SELECT 'a list of values keeps NULL', array_agg(value)::VARCHAR, '[NULL, 1]'
FROM (VALUES (NULL), (1)) AS held (value)
UNION ALL
SELECT 'sums of whole numbers neither round nor overflow', sum(value)::VARCHAR, '9223372036854775808'
FROM (VALUES (9223372036854775807::BIGINT), (1::BIGINT)) AS held (value)
UNION ALL
SELECT 'fsum makes up for rounding', fsum(value)::VARCHAR, '1.0'
FROM (SELECT 0.1::DOUBLE AS value FROM generate_series(1, 10)) AS held
UNION ALL
SELECT 'ascending order ends with NULL', array_agg(value ORDER BY place)::VARCHAR, '[1, 2, NULL]'
FROM (SELECT value, row_number() OVER (ORDER BY value) AS place FROM (VALUES (NULL), (2), (1)) AS held (value)) AS placed
UNION ALL
SELECT 'descending order ends with NULL', array_agg(value ORDER BY place)::VARCHAR, '[2, 1, NULL]'
FROM (
    SELECT value, row_number() OVER (ORDER BY value DESC) AS place FROM (VALUES (NULL), (2), (1)) AS held (value)
) AS placed
UNION ALL
SELECT 'dense_rank gives NULLs one rank', array_agg(rank ORDER BY rank)::VARCHAR, '[1, 2, 3, 3]'
FROM (
    SELECT dense_rank() OVER (ORDER BY value) AS rank FROM (VALUES (NULL), (2), (1), (NULL)) AS held (value)
) AS ranked
UNION ALL
SELECT 'a running sum takes rows of equal order together', array_agg(running ORDER BY running)::VARCHAR, '[3, 3, 7]'
FROM (
    SELECT sum(value) OVER (ORDER BY place) AS running FROM (VALUES (1, 1), (2, 1), (4, 2)) AS held (value, place)
) AS summed
UNION ALL
SELECT 'NaN and the infinities are not finite', array_agg(isfinite(value))::VARCHAR, '[false, false, false, true]'
FROM (VALUES ('nan'::DOUBLE), ('inf'::DOUBLE), ('-inf'::DOUBLE), (0::DOUBLE)) AS held (value)
UNION ALL
SELECT 'texts are equal by their bytes', count(*)::VARCHAR, '8'
FROM (
    SELECT value
    FROM (VALUES ('a'), ('A'), ('a '), (''), (chr(233)), ('e' || chr(769)), ('ss'), (chr(223))) AS held (value)
    GROUP BY value
) AS groups
UNION ALL
SELECT 'texts are ordered by their bytes', bool_and(one <> other AND one < other)::VARCHAR, 'true'
FROM (VALUES ('A', 'a'), ('B', 'a'), ('a', 'a '), ('z', chr(233)), ('', ' ')) AS pairs (one, other)
UNION ALL
SELECT 'an empty list contains nothing', array_agg(list_contains(listed, value))::VARCHAR, '[false, true, false]'
FROM (VALUES ([]::VARCHAR[], 'a'), (['a', 'b'], 'b'), (['a'], 'b')) AS held (listed, value)
UNION ALL
SELECT
    'slices and sums of lists end where the lists end',
    array_agg([len(listed), len(list_slice(listed, 2, 3)), len(list_concat(listed, ['c']))])::VARCHAR,
    '[[0, 0, 1], [1, 0, 2], [2, 1, 3]]'
FROM (VALUES ([]::VARCHAR[]), (['a']), (['a', 'b'])) AS held (listed)
UNION ALL
SELECT 'what lies beyond the end of a list is NULL', array_agg(listed[3])::VARCHAR, '[NULL, NULL, c]'
FROM (VALUES ([]::VARCHAR[]), (['a', 'b']), (['a', 'b', 'c'])) AS held (listed)
UNION ALL
SELECT 'unnest makes no row of an empty list', count(*)::VARCHAR, '2'
FROM (SELECT unnest(listed) AS value FROM (VALUES ([]::VARCHAR[]), (['a', NULL])) AS held (listed)) AS unnested
UNION ALL
SELECT 'greatest and least leave out NULL', array_agg([greatest(one, other), least(one, other)])::VARCHAR, '[[1, 1], [1, 1]]'
FROM (VALUES (NULL, 1), (1, NULL)) AS pairs (one, other)
UNION ALL
SELECT
    '/ of whole numbers is a fraction, // cuts towards zero, % has the sign of the first',
    array_agg([value / 2, value // 2, value % 2])::VARCHAR,
    '[[3.5, 3.0, 1.0], [-3.5, -3.0, -1.0], [0.5, 0.0, 1.0]]'
FROM (VALUES (7), (-7), (1)) AS held (value)
UNION ALL
SELECT
    'halves are rounded away from zero, floor goes below it',
    array_agg([round(value), floor(value)])::VARCHAR,
    '[[1.0, 0.0], [-1.0, -1.0], [3.0, 2.0]]'
FROM (VALUES (0.5::DOUBLE), (-0.5::DOUBLE), (2.5::DOUBLE)) AS held (value)
UNION ALL
SELECT 'floating numbers have these texts', string_agg(value::VARCHAR, ' | '), '1.0 | 0.1 | 1e+16 | -2.5 | nan | -inf'
FROM (
    VALUES (1.0::DOUBLE), (0.1::DOUBLE), (1e16::DOUBLE), (-2.5::DOUBLE), ('nan'::DOUBLE), ('-inf'::DOUBLE)
) AS held (value)
UNION ALL
SELECT
    'values of other types have these texts',
    concat_ws(' | ', whole::VARCHAR, fraction::VARCHAR, yes::VARCHAR, day::VARCHAR, moment::VARCHAR),
    '-12 | 1.50 | true | 2020-01-31 | 2020-01-31 05:06:07.5'
FROM (
    VALUES (-12, 1.50::DECIMAL(5, 2), TRUE, DATE '2020-01-31', TIMESTAMP '2020-01-31 05:06:07.5')
) AS held (whole, fraction, yes, day, moment)
UNION ALL
SELECT
    'a text that is no number is NULL for try_cast',
    array_agg(try_cast(text AS DOUBLE))::VARCHAR,
    '[1.0, 1000.0, NULL, NULL, nan, NULL]'
FROM (VALUES ('1'), ('1e3'), (''), ('1,5'), ('nan'), ('one')) AS held (text)
UNION ALL
SELECT
    'a text that is no time is NULL for try_cast',
    string_agg(coalesce(try_cast(text AS TIMESTAMP)::VARCHAR, 'NULL'), ' | '),
    '2020-02-29 00:00:00 | NULL | NULL | NULL'
FROM (VALUES ('2020-02-29'), ('2019-02-29'), ('12'), ('')) AS held (text)
UNION ALL
SELECT
    'texts are cut and counted by code points',
    [
        length(text), unicode(left(text, 1)), unicode(right(text, 1)), unicode(substring(text, 2, 1)),
        len(string_split(text, '|'))
    ]::VARCHAR,
    '[2, 101, 769, 769, 1]'
FROM (VALUES ('e' || chr(769))) AS held (text)
UNION ALL
SELECT
    'times have these parts',
    [epoch_us(moment), year(moment), hour(moment), isodow(moment), week(moment)]::VARCHAR,
    '[946684799999999, 1999, 23, 5, 52]'
FROM (VALUES (TIMESTAMP '1999-12-31 23:59:59.999999')) AS held (moment)
UNION ALL
SELECT
    'times are cut at decades, centuries and weeks',
    concat_ws(
        ' | ',
        date_trunc('decade', moment)::DATE::VARCHAR,
        date_trunc('century', moment)::DATE::VARCHAR,
        date_trunc('week', moment)::DATE::VARCHAR
    ),
    '1990-01-01 | 1900-01-01 | 1999-12-27'
FROM (VALUES (TIMESTAMP '1999-12-31 23:59:59.999999')) AS held (moment)
UNION ALL
SELECT 'times are made of microseconds', make_timestamp(micros)::VARCHAR, '1999-12-31 23:59:59.999999'
FROM (VALUES (946684799999999)) AS held (micros)
UNION ALL
SELECT
    'infinite times are not finite and have no microseconds',
    array_agg(isfinite(moment) OR epoch_us(moment) IS NOT NULL)::VARCHAR,
    '[false, false]'
FROM (VALUES (TIMESTAMP 'infinity'), (TIMESTAMP '-infinity')) AS held (moment)
UNION ALL
SELECT
    'logarithms are those of mathematics',
    array_agg([round(log2(value), 9), round(ln(value), 9)])::VARCHAR,
    '[[3.0, 2.079441542], [-1.0, -0.693147181], [0.0, 0.0]]'
FROM (VALUES (8::DOUBLE), (0.5::DOUBLE), (1::DOUBLE)) AS held (value)
