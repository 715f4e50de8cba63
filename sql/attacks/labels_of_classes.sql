-- The labels of the classes of the known columns.
-- One row: a class, in order of its place.
-- Reads: known_classes
-- Binds: known (list)
-- Result: l_1, the number of the label of each attribute.
SELECT each(known, c.l_{number})
FROM known_classes AS c
ORDER BY c.place
