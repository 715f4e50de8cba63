-- How the distinct sampled values of a column of text are written, to propose its taxonomy.
-- One row: all distinct sampled values.
-- Reads: sampled_values
-- Binds: $dated (value), $addressed (value), $positioned (value), $coded (value), $random (value)
-- Result: held (values); how many of them look like dates, hold a colon, look like IP addresses, positions and codes;
--   how many are digits alone, and how many of these begin with 0; how many are decimals; shapes (how many ways there
--   are of writing them, with A for a letter and 9 for a digit); randoms (how many look drawn at random, as hashes do);
--   plain (numbers with a decimal point or none), numeric (digits and what may part them alone).
SELECT
    count(*) AS held,
    count(*) FILTER (WHERE regexp_full_match(value, $dated)) AS dated,
    count(*) FILTER (WHERE contains(value, ':')) AS timed,
    count(*) FILTER (WHERE regexp_full_match(value, $addressed)) AS addressed,
    count(*) FILTER (WHERE regexp_full_match(value, $positioned)) AS positioned,
    count(*) FILTER (WHERE regexp_full_match(value, $coded)) AS coded,
    count(*) FILTER (WHERE regexp_full_match(value, '[0-9]+')) AS digits,
    count(*) FILTER (WHERE regexp_full_match(value, '0[0-9]+')) AS zeros,
    count(*) FILTER (WHERE regexp_full_match(value, '[+-]?[0-9]*[.,][0-9]+')) AS decimals,
    count(DISTINCT regexp_replace(regexp_replace(value, '[0-9]', '9', 'g'), '[A-Za-z]', 'A', 'g')) AS shapes,
    count(*) FILTER (WHERE regexp_full_match(value, $random)) AS randoms,
    count(*) FILTER (WHERE regexp_full_match(value, '[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?')) AS plain,
    count(*) FILTER (WHERE regexp_full_match(value, '[+-]?[0-9.,''’ \x{00a0}\x{202f}]*[0-9][eE0-9+-]*')) AS numeric
FROM sampled_values
