-- Composition: how many persons can at most be in a class of this release and in a class of an earlier one; where it is
-- known who is in both, how many are.
-- One row: all pairs of classes that can have a person in common.
-- Reads: overlapping
-- Binds: overlapping (table), $under (value)
-- Result: composition, the smallest such number; bound, what the smallest pair that holds somebody has at most, if all
--   persons of this release are in the earlier one: the persons of a cell are in some pair of that cell, and the largest of
--   these is no smaller; pairs; pairs_under, those of less than $under; certain, those of
--   these that hold somebody if all persons of this release are in the earlier one: a cell has more records than all
--   other cells of the earlier release that can take them; records_under, the records of this release that can be in
--   pairs_under, at most; expected_under, the pairs that are expected to hold less than $under, if the records of
--   each cell spread over the cells of the earlier release that can take them by the records of those;
--   smallest_expected, the smallest such number.
-- NULL: composition and bound are NULL if no two classes can have a person in common. Does not occur in what is read.
WITH common_cells AS (
    SELECT
        later,
        earlier,
        later_cell,
        later_records,
        least(later_records, earlier_records) AS common,
        later_records > sum(earlier_records) OVER (PARTITION BY later_cell) - earlier_records AS certain,
        later_records::DOUBLE * earlier_records / sum(earlier_records) OVER (PARTITION BY later_cell) AS expected
    FROM overlapping
), pairs AS (
    SELECT later, earlier, sum(common)::BIGINT AS common, bool_or(certain) AS certain, round(sum(expected), 9) AS expected
    FROM common_cells
    GROUP BY later, earlier
), small AS (
    SELECT common_cells.later_cell, least(any_value(common_cells.later_records), sum(common_cells.common)) AS records
    FROM common_cells
    JOIN pairs ON pairs.later = common_cells.later AND pairs.earlier = common_cells.earlier
    WHERE pairs.common < $under
    GROUP BY common_cells.later_cell
)
SELECT
    min(common) AS composition,
    (
        SELECT min(most)
        FROM (
            SELECT max(pairs.common) AS most
            FROM common_cells
            JOIN pairs ON pairs.later = common_cells.later AND pairs.earlier = common_cells.earlier
            GROUP BY common_cells.later_cell
        ) AS cells
    ) AS bound,
    count(*) AS pairs,
    count(*) FILTER (WHERE common < $under) AS pairs_under,
    count(*) FILTER (WHERE common < $under AND certain) AS certain,
    (SELECT coalesce(sum(records), 0)::BIGINT FROM small) AS records_under,
    count(*) FILTER (WHERE expected < $under) AS expected_under,
    min(expected) AS smallest_expected
FROM pairs
