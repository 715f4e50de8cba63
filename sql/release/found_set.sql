-- The records of combined_set with the class that a method found for each, and without what it was found by.
-- One row: a record, or as many as its "#records" says.
-- Reads: combined_set, found_classes
-- Binds: names (list)
-- Result: table release_set: "#assigned", and what it had before.
-- NULL: stays.
CREATE OR REPLACE TABLE release_set AS
SELECT
    f.assigned AS "#assigned",
    s.* EXCLUDE (each(names, "{name}@0";), "#combination", "#class")
FROM combined_set AS s
JOIN found_classes AS f ON s."#combination" = f.combination
