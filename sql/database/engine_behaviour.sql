-- What the queries of anonduck take for granted of DuckDB where SQL leaves it open, or where another version could differ.
-- One row: this DuckDB, as the connection is set.
-- Reads: nothing
-- Binds: nothing
-- Result: a column for each behaviour, TRUE where DuckDB does as expected. What rests on each stands in
--   anonduck/statements/builder_behaviour.py.
-- NULL: of a column, the behaviour is another one.
SELECT
    (
        SELECT count(*) = 2 AND min(records) = 1 AND max(records) = 2
        FROM (
            SELECT value, count(*) AS records
            FROM (VALUES (NULL), (1), (NULL)) AS held (value)
            GROUP BY value
        ) AS groups
    ) AS null_is_a_group,
    (
        SELECT count(*) = 2
        FROM (SELECT DISTINCT value FROM (VALUES (NULL), (1), (NULL)) AS held (value)) AS distinct_values
    ) AS null_is_a_distinct_value,
    (
        SELECT count(*) = 2
        FROM (VALUES (NULL, NULL), (1, 1), (NULL, 1), (1, 2)) AS pairs (one, other)
        WHERE one IS NOT DISTINCT FROM other
    ) AS null_is_not_distinct_from_null,
    (
        SELECT count(*) = 1
        FROM (VALUES (NULL, NULL), (1, 1), (NULL, 1), (1, 2)) AS pairs (one, other)
        WHERE one = other
    ) AS null_equals_nothing,
    (
        SELECT count(*) = 3 AND count(value) = 2 AND count(DISTINCT value) = 1
        FROM (VALUES (NULL), (1), (1)) AS held (value)
    ) AS counts_of_values_leave_out_null,
    (
        SELECT
            sum(value) = 3
            AND min(value) = 1
            AND max(value) = 2
            AND avg(value) = 1.5
            AND any_value(value) = 1
            AND bool_or(value = 1)
            AND NOT bool_and(value = 1)
            AND sum(value) FILTER (WHERE value > 2) IS NULL
            AND coalesce(min(value) FILTER (WHERE value > 2), 9) = 9
        FROM (VALUES (NULL, 1), (1, 2), (2, 3)) AS held (value, place)
    ) AS aggregates_leave_out_null,
    (
        SELECT arg_min(value, place) = 2
        FROM (VALUES (1, NULL), (NULL, 1), (2, 3), (3, 4)) AS held (value, place)
    ) AS arg_min_leaves_out_null,
    (
        SELECT len(array_agg(value)) = 2
        FROM (VALUES (NULL), (1)) AS held (value)
    ) AS lists_keep_null,
    (
        SELECT sum(value) = 9223372036854775808 AND typeof(sum(value)) = 'HUGEINT'
        FROM (VALUES (9223372036854775807::BIGINT), (1::BIGINT)) AS held (value)
    ) AS sums_of_whole_numbers_are_exact,
    (
        SELECT fsum(value) = 1
        FROM (SELECT 0.1::DOUBLE AS value FROM generate_series(1, 10)) AS held
    ) AS fsum_makes_up_for_rounding,
    (
        SELECT max(place) FILTER (WHERE value IS NULL) = 3 AND max(place) FILTER (WHERE value = 1) = 1
        FROM (
            SELECT value, row_number() OVER (ORDER BY value) AS place
            FROM (VALUES (NULL), (2), (1)) AS held (value)
        ) AS placed
    ) AS ascending_order_ends_with_null,
    (
        SELECT max(place) FILTER (WHERE value IS NULL) = 3 AND max(place) FILTER (WHERE value = 2) = 1
        FROM (
            SELECT value, row_number() OVER (ORDER BY value DESC) AS place
            FROM (VALUES (NULL), (2), (1)) AS held (value)
        ) AS placed
    ) AS descending_order_ends_with_null,
    (
        SELECT bool_and(rank = expected)
        FROM (
            SELECT dense_rank() OVER (ORDER BY value) AS rank, expected
            FROM (VALUES (NULL, 3), (2, 2), (1, 1), (NULL, 3)) AS held (value, expected)
        ) AS ranked
    ) AS ranks_take_nulls_together,
    (
        SELECT bool_and(running = expected)
        FROM (
            SELECT sum(value) OVER (ORDER BY place) AS running, expected
            FROM (VALUES (1, 1, 3), (2, 1, 3), (4, 2, 7)) AS held (value, place, expected)
        ) AS summed
    ) AS running_sums_take_equals_together,
    (
        SELECT count(*) = 1
        FROM (SELECT value FROM (VALUES ('nan'::DOUBLE), (-('nan'::DOUBLE))) AS held (value) GROUP BY value) AS groups
    )
    AND (
        SELECT bool_and(value = value AND value >= 'inf'::DOUBLE)
        FROM (VALUES ('nan'::DOUBLE), ('inf'::DOUBLE)) AS held (value)
    ) AS nan_equals_itself_and_is_largest,
    (
        SELECT bool_and(isfinite(value) = expected)
        FROM (
            VALUES ('nan'::DOUBLE, FALSE), ('inf'::DOUBLE, FALSE), ('-inf'::DOUBLE, FALSE), (0::DOUBLE, TRUE)
        ) AS held (value, expected)
    ) AS nan_and_the_infinities_are_not_finite,
    (
        SELECT count(*) = 1
        FROM (SELECT value FROM (VALUES (-0.0::DOUBLE), (0.0::DOUBLE)) AS held (value) GROUP BY value) AS groups
    ) AS zeros_of_both_signs_are_one_group,
    (
        SELECT count(*) = 8
        FROM (
            SELECT value
            FROM (
                VALUES ('a'), ('A'), ('a '), (''), (chr(233)), ('e' || chr(769)), ('ss'), (chr(223))
            ) AS held (value)
            GROUP BY value
        ) AS groups
    )
    AND (
        SELECT bool_and(one <> other AND one < other)
        FROM (VALUES ('A', 'a'), ('B', 'a'), ('a', 'a '), ('z', chr(233)), ('', ' ')) AS pairs (one, other)
    ) AS texts_are_compared_by_bytes,
    (
        SELECT
            bool_and(list_contains(held_values, value) IS NOT DISTINCT FROM expected)
        FROM (
            VALUES ([]::VARCHAR[], 'a', FALSE), (['a', 'b'], 'b', TRUE), (['a'], 'b', FALSE)
        ) AS held (held_values, value, expected)
    ) AS a_list_contains_what_is_in_it,
    (
        SELECT
            bool_and(
                len(held_values) = records
                AND len(list_slice(held_values, 2, 3)) = greatest(records - 1, 0)
                AND (held_values[3] IS NULL)
                AND len(list_concat(held_values, ['c'])) = records + 1
            )
        FROM (VALUES ([]::VARCHAR[], 0), (['a'], 1), (['a', 'b'], 2)) AS held (held_values, records)
    )
    AND (
        SELECT count(*) = 2
        FROM (
            SELECT unnest(held_values) AS value
            FROM (VALUES ([]::VARCHAR[]), (['a', NULL])) AS held (held_values)
        ) AS unnested
    ) AS lists_end_where_they_end,
    (
        SELECT
            bool_and(
                (value IN (1, 2)) IS NOT DISTINCT FROM expected
                AND (value NOT IN (1, 2)) IS NOT DISTINCT FROM (NOT expected)
            )
        FROM (VALUES (1, TRUE), (3, FALSE), (NULL, NULL)) AS held (value, expected)
    )
    AND (
        SELECT count(*) = 1
        FROM (VALUES (1), (3), (NULL)) AS held (value)
        WHERE value IN (SELECT one FROM (VALUES (1), (2), (NULL)) AS listed (one))
    ) AS null_is_in_no_list,
    (
        SELECT bool_and(greatest(one, other) = 1 AND least(one, other) = 1)
        FROM (VALUES (NULL, 1), (1, NULL)) AS pairs (one, other)
    ) AS greatest_and_least_leave_out_null,
    (
        SELECT bool_and(value // 2 = cut AND value % 2 = rest AND value / 2 = share)
        FROM (VALUES (7, 3, 1, 3.5), (-7, -3, -1, -3.5), (1, 0, 1, 0.5)) AS held (value, cut, rest, share)
    ) AS whole_numbers_divide_to_fractions,
    (
        SELECT bool_and(round(value) = rounded AND floor(value) = below)
        FROM (VALUES (0.5::DOUBLE, 1, 0), (-0.5::DOUBLE, -1, -1), (2.5::DOUBLE, 3, 2)) AS held (value, rounded, below)
    ) AS halves_are_rounded_away_from_zero,
    (
        SELECT bool_and(value::VARCHAR = text)
        FROM (
            VALUES (1.0::DOUBLE, '1.0'), (0.1::DOUBLE, '0.1'), (1e16::DOUBLE, '1e+16'), (-2.5::DOUBLE, '-2.5'),
                ('nan'::DOUBLE, 'nan'), ('-inf'::DOUBLE, '-inf')
        ) AS held (value, text)
    )
    AND (
        SELECT
            bool_and(
                whole::VARCHAR = '-12'
                AND fraction::VARCHAR = '1.50'
                AND yes::VARCHAR = 'true'
                AND day::VARCHAR = '2020-01-31'
                AND moment::VARCHAR = '2020-01-31 05:06:07.5'
            )
        FROM (
            VALUES (-12, 1.50::DECIMAL(5, 2), TRUE, DATE '2020-01-31', TIMESTAMP '2020-01-31 05:06:07.5')
        ) AS held (whole, fraction, yes, day, moment)
    ) AS values_have_these_texts,
    (
        SELECT bool_and(try_cast(text AS DOUBLE) IS NOT DISTINCT FROM number)
        FROM (
            VALUES ('1', 1::DOUBLE), ('1e3', 1000::DOUBLE), ('', NULL), ('1,5', NULL), ('nan', 'nan'::DOUBLE),
                ('one', NULL)
        ) AS held (text, number)
    )
    AND (
        SELECT bool_and(try_cast(text AS TIMESTAMP) IS NOT DISTINCT FROM moment)
        FROM (
            VALUES ('2020-02-29', TIMESTAMP '2020-02-29 00:00:00'), ('2019-02-29', NULL), ('12', NULL), ('', NULL)
        ) AS held (text, moment)
    ) AS texts_are_read_as_numbers_and_times,
    (
        SELECT
            bool_and(
                length(text) = 2
                AND left(text, 1) = 'e'
                AND right(text, 1) = chr(769)
                AND substring(text, 2, 1) = chr(769)
                AND len(string_split(text, '|')) = 1
            )
        FROM (VALUES ('e' || chr(769))) AS held (text)
    ) AS texts_are_cut_between_code_points,
    (
        SELECT
            bool_and(
                epoch_us(moment) = micros
                AND make_timestamp(micros) = moment
                AND year(moment) = 1999
                AND hour(moment) = 23
                AND isodow(moment) = 5
                AND week(moment) = 52
                AND date_trunc('decade', moment) = TIMESTAMP '1990-01-01'
                AND date_trunc('century', moment) = TIMESTAMP '1900-01-01'
                AND date_trunc('week', moment) = TIMESTAMP '1999-12-27'
            )
        FROM (VALUES (TIMESTAMP '1999-12-31 23:59:59.999999', 946684799999999)) AS held (moment, micros)
    )
    AND (
        SELECT bool_and(NOT isfinite(moment) AND epoch_us(moment) IS NULL)
        FROM (VALUES (TIMESTAMP 'infinity'), (TIMESTAMP '-infinity')) AS held (moment)
    ) AS times_have_these_parts,
    (
        SELECT bool_and(abs(log2(value) - power) < 1e-12 AND abs(ln(value) - power * 0.6931471805599453) < 1e-12)
        FROM (VALUES (8::DOUBLE, 3), (0.5::DOUBLE, -1), (1::DOUBLE, 0)) AS held (value, power)
    ) AS logarithms_are_these
