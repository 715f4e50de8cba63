-- How many records of an original have no certain place in a release.
-- One row: the original and the release.
-- Reads: placed; earlier_cells, those of the release
-- Binds: placed (table)
-- Result: doubtful, the records of the original that can be in several cells; unequal, the records of the release in
--   cells that hold more or fewer than the original has for them.
-- NULL: does not occur; of no records both are 0.
WITH ways AS (
    SELECT original_cell, any_value(records) AS records, count(*) AS cells
    FROM placed
    GROUP BY original_cell
), filled AS (
    SELECT
        held.cell,
        any_value(held.records) AS held,
        coalesce(sum(placed.records), 0) AS found
    FROM earlier_cells AS held
    LEFT JOIN placed ON placed.cell = held.cell
    GROUP BY held.cell
)
SELECT
    (SELECT coalesce(sum(records), 0)::BIGINT FROM ways WHERE cells > 1) AS doubtful,
    (SELECT coalesce(sum(held), 0)::BIGINT FROM filled WHERE held <> found) AS unequal
