-- How many bits tell the class of the records that a rule keeps, by the shares of class values among all records.
-- One row: the part of the frequency set that stays.
-- Reads: coded_frequency_set, coded (the part of it that stays)
-- Binds: coded (table)
-- Result: kept_share is the share of all records that stay; prior_bits is the sum over records that stay of -log2 of the share
--   that their class value has among all records, by the number of all records; free_values is the sum over class values of the
--   share of their records that stay times the share of all records that have another value: class values - 1 where all stay.
-- NULL: a NULL class is code 0, a class value of its own.
WITH every AS (
    SELECT "#class", sum("#records") AS n, sum(sum("#records")) OVER () AS total
    FROM coded_frequency_set
    GROUP BY "#class"
), kept AS (
    SELECT "#class", sum("#records") AS n
    FROM coded
    GROUP BY "#class"
)
SELECT
    (sum(kept.n) / any_value(every.total))::DOUBLE AS kept_share,
    (sum(kept.n * (log2(every.total) - log2(every.n))) / any_value(every.total))::DOUBLE AS prior_bits,
    sum(kept.n / every.n * (1 - every.n / every.total))::DOUBLE AS free_values
FROM kept
JOIN every ON kept."#class" = every."#class"
