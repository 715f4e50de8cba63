-- Effect: the values to export become text, where their type is none that a Parquet file keeps exactly.
-- Reads: exported
-- NULL: stays NULL.
ALTER TABLE exported ALTER value TYPE VARCHAR
