-- What each class shows in each column.
-- One row: a class.
-- Reads: assigned_classes, the nodes of each column
-- Binds: names (list)
-- Result: temporary table assigned_nodes: "#assigned"; by column the level, the label and the leaf of its node.
-- NULL: a node of its own.
CREATE OR REPLACE TEMPORARY TABLE assigned_nodes AS
SELECT
    c.assigned AS "#assigned",
    each(names,
        n{n}.node_level AS "{name}@level",
        n{n}.label AS "{name}@value",
        n{n}.leaf AS "{name}@leaf";
    )
FROM assigned_classes AS c
joins(names, JOIN "{name} nodes" AS n{n} ON c.assigned = n{n}.assigned;)
