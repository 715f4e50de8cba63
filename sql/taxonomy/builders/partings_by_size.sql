-- Where groups of as many leaves part, and how far up.
-- One row: two neighbouring groups.
-- Reads: openings
-- Binds: $multiples (value)
-- Result: temporary table partings: leaves_under (those that count), records_under, below and above (the leaves
--   beside it), rank (it parts groups at the levels 1 to rank: a node of level l is $multiples[l] groups).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE partings AS
SELECT
    leaves_under,
    records_under,
    below,
    above,
    len(
        list_filter(
            $multiples::BIGINT[],
            lambda multiple: place // multiple <> place_below // multiple
        )
    )::INTEGER AS rank
FROM openings
