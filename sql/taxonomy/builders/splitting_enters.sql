-- Effect: adds the rare numbers that are not under a step but were under the last one, where steps so fine can part
--   them.
-- One row: a rare leaf.
-- Reads: rare_numbers, small_numbers
-- Binds: $power (value), $last_power (value), $label_k (value)
-- Result: rows of splitting. The steps are those of 10^$power, and of 10^$last_power before. Numbers that all lie in
--   one cell without enough records on both sides of a bound stay out: they are only counted.
-- NULL: not a leaf.
INSERT INTO splitting
SELECT rare.stretch, rare.value, rare.records, rare.digits, rare.scale
FROM rare_numbers AS rare
JOIN small_numbers AS small
    ON small.stretch = rare.stretch
    AND small.cell = rare.cell
    AND small.point = rare.point
WHERE
    rare.point > $power::INTEGER
    AND rare.point <= $last_power::INTEGER
    AND small.records >= 2 * $label_k::HUGEINT
