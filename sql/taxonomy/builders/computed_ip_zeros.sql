-- Each level of an IP taxonomy, third step: the longest run of two zero groups or more, which :: will stand for.
-- One row: a value.
-- Reads: computed (value, groups_1 and so on)
-- Binds: computed (table), levels (list)
-- Result: what was read, and zeros_1 (:0:0:0; of such texts the longest is the largest; NULL where there is none), start_1 (where the first
--   such run begins) and so on.
-- NULL: stays NULL.
SELECT
    *,
    each(levels,
        list_reverse_sort(regexp_extract_all(groups_{level}, '(?::0){2,}'))[1] AS zeros_{level},
        instr(groups_{level}, list_reverse_sort(regexp_extract_all(groups_{level}, '(?::0){2,}'))[1]) AS start_{level}
    )
FROM computed
