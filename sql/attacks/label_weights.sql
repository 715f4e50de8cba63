-- The match weight of a label that covers a value, and of one that does not, for nested labels.
-- One row: an attribute and a label.
-- Reads: extents
-- Binds: $m (value)
-- Result: temporary table label_weights: attribute; label; agrees, log2(m / u); differs, log2((1 - m) / (1 - u)). u is
--   the share of the original's records that the label covers, within 1e-6 of 0 and of 1, so that a narrow label says
--   more than a wide one (Fellegi and Sunter 1969, weights by value).
-- NULL: the label NULL has a number as others do.
CREATE OR REPLACE TEMP TABLE label_weights AS
SELECT
    attribute,
    label,
    log2($m::DOUBLE / greatest(least(share, 1 - 1e-6), 1e-6)) AS agrees,
    log2((1 - $m::DOUBLE) / (1 - greatest(least(share, 1 - 1e-6), 1e-6))) AS differs
FROM extents
