-- What the groups of a released file, records that look alike in some columns, tell of another one.
-- One row: all records.
-- Reads: the temp view release
-- Binds: quasi (columns), told (column)
-- Result: classes, the groups of one value of the column; records, those in them; alike, their share of all records;
-- gain, how much more often a guess is right in a group than the value is held in the file, where that is most.
-- NULL: is a value of its own.
WITH counted AS (
    SELECT quasi, release.told AS "#told", count(*) AS "#records"
    FROM release
    GROUP BY quasi, release.told
), compared AS (
    SELECT
        "#records",
        sum("#records") OVER (PARTITION BY quasi) AS "#members",
        sum("#records") OVER (PARTITION BY "#told") / sum("#records") OVER () AS "#frequency"
    FROM counted
)
SELECT
    count(*) FILTER (WHERE "#records" = "#members") AS classes,
    coalesce(sum("#records") FILTER (WHERE "#records" = "#members"), 0)::BIGINT AS records,
    coalesce(sum("#records") FILTER (WHERE "#records" = "#members"), 0) / sum("#records") AS alike,
    max("#records" / "#members" - "#frequency") AS gain
FROM compared
