-- The empty table that takes what a rule makes of the values of its columns.
-- One row: none yet.
-- Result: temporary table exported: column_name, level, old_value, new_value, "#node" and "#leaf" (the order of rows).
-- NULL: none will occur; NULL stays NULL under the root and is not listed.
CREATE OR REPLACE TEMP TABLE exported (
    column_name VARCHAR,
    level INTEGER,
    old_value VARCHAR,
    new_value VARCHAR,
    "#node" INTEGER,
    "#leaf" BIGINT
)
