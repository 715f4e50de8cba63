-- An empty list of labels that taxonomies give to values.
-- One row: none yet.
-- Result: temporary table paths: attribute; value; text, a label over it.
-- NULL: does not occur yet.
CREATE OR REPLACE TEMP TABLE paths (attribute INTEGER, value VARCHAR, text VARCHAR)
