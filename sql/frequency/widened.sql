-- The numbered cells with the codes of all levels above their leaves, and their records in each fold.
-- One row: a cell, in the order of their numbers.
-- Reads: coded_numbered, cell_folds, lookup."<column>" of each attribute that is looked up
-- Binds: target (table), attributes (list), looked_up (list), folds (list)
-- Result: table target: "#cell", "<name>@<level>" for the levels of each attribute, "#class", "#records", and "#fold_0" and so on.
-- NULL: is code 0; a cell without a record in folds has 0 in all.
CREATE OR REPLACE TABLE target AS
SELECT
    n."#cell",
    each(attributes, n."{name}@0", each(levels, coalesce(l{number}.code_{level}, 0) AS "{name}@{level}";);),
    n."#class",
    n."#records",
    each(folds, coalesce(f."#fold_{fold}", 0)::BIGINT AS "#fold_{fold}";)
FROM coded_numbered AS n
joins(looked_up, LEFT JOIN "lookup"."{name}" AS l{number} ON n."{name}@0" = l{number}.code_0;)
LEFT JOIN cell_folds AS f ON n."#cell" = f."#cell"
ORDER BY n."#cell"
