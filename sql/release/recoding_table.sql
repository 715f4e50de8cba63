-- Where `run` keeps the recoding that a method found, to apply it to the next export.
-- One row: the last one, with the method, its options and the taxonomies that it was found with, as JSON.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not occur.
CREATE TABLE IF NOT EXISTS last_recoding (document VARCHAR NOT NULL)
