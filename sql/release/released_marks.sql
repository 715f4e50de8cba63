-- The scanned rows of a release, with whether the records of each stay in it.
-- One row: a row of the frequency set of the release.
-- Reads: release_set, the frequency set of the records that stay
-- Binds: staying (table)
-- Result: "#stays", beside all columns of release_set.
-- NULL: equals NULL.
CREATE OR REPLACE TEMP TABLE released_marks AS
SELECT *, TRUE AS "#stays"
FROM staying
UNION ALL
SELECT *, FALSE AS "#stays"
FROM (
    SELECT *
    FROM release_set
    EXCEPT ALL
    SELECT *
    FROM staying
)
