-- The rows of a release in an engine from the view anonduck_rows, each as often as anonduck_repeats has its times.
-- One row: a row of the release.
-- Reads: anonduck_rows, whose columns are shown_0 and so on; anonduck_repeats
-- Binds: columns (list), dealt (list)
-- Result: the columns of the release, in its order where the engine does not deal them itself. The position of a row is the
--   first place and the number of its repetition, so that the engine numbers no rows.
-- NULL: stays NULL.
SELECT each(columns, g."shown_{n}" AS "{name}")
FROM "anonduck_rows" AS g
JOIN "anonduck_repeats" AS r ON g."times" = r."times"
ORDER BY each(dealt, {bucket}, g."first_place" + r."number";)
