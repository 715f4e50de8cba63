-- The labels and positions of the targets.
-- One row: a target, in order.
-- Reads: targets
-- Binds: attributes (list)
-- Result: l_1, the number of the label of each attribute: of several the one of fewest records, 0 for none; n_1, the
--   position.
-- NULL: the position of a value that is not on the line.
SELECT each(attributes, coalesce({label}, 0) AS l_{number}), each(attributes, s.n_{number})
FROM targets AS s
ORDER BY s.target
