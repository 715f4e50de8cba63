-- What each class shows where columns show typical values: what was chosen for its equivalence class.
-- One row: a class.
-- Reads: assigned_nodes, chosen_values, the lookup of each typical column
-- Binds: names (list), ranges (list), columns (list)
-- Result: temporary table assigned_nodes, as before; levels stay, labels and leaves are those of the typical values of
--   columns, and "<column>@typical" the leaf code that stands for what the class shows there, -1 where that is no value.
--   Columns of ranges stay. Where nothing was chosen for a class, or what was made does not fit the type, its label stays.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE assigned_nodes AS
SELECT
    n."#assigned",
    each(names, n."{name}@level"),
    each(ranges, n."{name}@value", n."{name}@leaf";),
    each(columns,
        CASE
            WHEN c."{name}@0" >= 0 THEN {leaf}::VARCHAR
            WHEN {made} IS NOT NULL THEN {made}::VARCHAR
            ELSE n."{name}@value"
        END AS "{name}@value",
        {leaf} AS "{name}@leaf",
        CASE WHEN c."{name}@0" >= 0 THEN c."{name}@0" WHEN {made} IS NOT NULL THEN c."{name}@typical" ELSE -1 END
            AS "{name}@typical";
    )
FROM (
    SELECT *, dense_rank() OVER (ORDER BY each(names, "{name}@value")) AS "#equivalence"
    FROM assigned_nodes
) AS n
JOIN chosen_values AS c ON n."#equivalence" = c."#equivalence"
joins(columns, LEFT JOIN "release_lookup"."{name}" AS l{n} ON c."{name}@0" = l{n}.code_0;)
