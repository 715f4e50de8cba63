-- How wide the nodes of all taxonomies are.
-- One row: a node above the leaves.
-- Result: the table, if it was not there.
-- NULL: records where the values were not counted, range_share where the values are no numbers.
CREATE TABLE IF NOT EXISTS taxonomy_nodes (
    column_name VARCHAR NOT NULL,
    level INTEGER NOT NULL,
    code INTEGER NOT NULL,
    label VARCHAR,
    leaves BIGINT NOT NULL,
    records BIGINT,
    leaf_share DOUBLE NOT NULL,
    range_share DOUBLE
)
