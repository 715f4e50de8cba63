-- The cuts between groups of neighbouring leaves.
-- One row: a gap between two groups.
-- Reads: cuts, gaps
-- Binds: nothing
-- Result: temporary table ranked_cuts: lower, text (the cut in a label), rank (it is a cut at the levels 1 to rank).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE ranked_cuts AS
SELECT cuts.lower, cuts.text, gaps.rank
FROM cuts
JOIN gaps ON gaps.code_1 = cuts.code_1
