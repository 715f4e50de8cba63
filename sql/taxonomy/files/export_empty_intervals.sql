-- Effect: puts the intervals that hold no leaf between the rows to export, so that their bounds survive.
-- Reads: the taxonomy of one column, its lower bounds with their paths
-- Binds: taxonomy (table), bounds (table), fields (columns)
-- NULL: value in these rows, lower_bound in that of the interval that is open below.
INSERT INTO exported BY NAME
SELECT
    bounds.fields,
    bounds.lower AS lower_bound,
    bounds.code_1 AS "#node",
    0 AS "#leaf"
FROM bounds
ANTI JOIN taxonomy ON taxonomy.code_1 = bounds.code_1
