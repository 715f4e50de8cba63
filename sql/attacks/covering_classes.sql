-- The classes that cover each target in all known columns.
-- One row: a target and such a class, the narrowest first.
-- Reads: targets, known_classes
-- Binds: known (list)
-- Result: owner, the target's number from 0; place and width of the class.
-- NULL: a value that no label covers is in no class.
SELECT t.target - 1 AS owner, c.place, c.width
FROM targets AS t
JOIN known_classes AS c ON all_of(known, {covered})
ORDER BY owner, c.width, c.place
