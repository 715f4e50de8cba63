-- What a release by swapping shows of a training part, and what the fold that was held out would show, in one numbering.
-- One row: a distinct row of the release, or of the fold.
-- Reads: release_rows, tested_shown
-- Binds: shown (columns)
-- Result: "#row", from 0; the columns that are shown; "#records"; tested, 1 for rows of the fold.
-- NULL: stays.
CREATE OR REPLACE TEMP TABLE compared_shown AS
SELECT row_number() OVER (ORDER BY tested, shown) - 1 AS "#row", *
FROM (
    SELECT shown, "#records", 0 AS tested
    FROM release_rows
    UNION ALL
    SELECT shown, "#records", 1 AS tested
    FROM tested_shown
)
