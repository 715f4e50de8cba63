-- One level of an IP taxonomy, third step: the longest run of two zero groups or more, which :: will stand for.
-- One row: a value.
-- Reads: computed (value, groups)
-- Binds: computed (table)
-- Result: zeros (:0:0:0; of such texts the longest is the largest; NULL where there is none), start (where the first
--   such run begins).
-- NULL: stays NULL.
SELECT
    list_reverse_sort(regexp_extract_all(groups, '(?::0){2,}'))[1] AS zeros,
    instr(groups, list_reverse_sort(regexp_extract_all(groups, '(?::0){2,}'))[1]) AS start
FROM computed
