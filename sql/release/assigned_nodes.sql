-- What each class shows in all columns, side by side.
-- One row: a class.
-- Reads: assigned_classes, what each column shows
-- Binds: names (list), ends (list)
-- Result: temporary table assigned_nodes: "#assigned"; by column the level, the label and the leaf of its node; of columns
--   of ends the bounds, and the first label of equal ones.
-- NULL: a node of its own.
CREATE OR REPLACE TEMPORARY TABLE assigned_nodes AS
SELECT
    c.assigned AS "#assigned",
    each(names,
        w{n}.node_level AS "{name}@level",
        w{n}.label AS "{name}@value",
        w{n}.leaf AS "{name}@leaf";
    ),
    each(ends,
        e{n}.bound_from AS "{name}@from",
        e{n}.bound_to AS "{name}@to",
        e{n}.alike AS "{name}@alike";
    )
FROM assigned_classes AS c
joins(names, JOIN "{name} shown" AS w{n} ON c.assigned = w{n}.key;)
joins(ends, JOIN "{name} shown" AS e{n} ON c.assigned = e{n}.key;)
