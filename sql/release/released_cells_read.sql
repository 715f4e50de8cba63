-- What a release by classes makes of each record, in the order of the leaves.
-- One row: records alike in leaves, class, equivalence class, and whether they stay.
-- Reads: released_cells
-- Binds: shown (columns), leaves (columns)
-- Result: the columns shown; class_code, equivalence, stays, records.
-- NULL: is code 0 in the leaves; does not occur otherwise.
SELECT
    shown,
    "#class" AS class_code,
    "#equivalence" AS equivalence,
    "#stays" AS stays,
    "#records" AS records
FROM released_cells
ORDER BY leaves, "#class", "#equivalence", "#stays"
