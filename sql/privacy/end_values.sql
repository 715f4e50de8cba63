-- The texts at the ends of released labels, to decide whether they are numbers or moments.
-- One row: an attribute and a text at an end of a label.
-- Reads: label_ends
-- Result: temporary table original_values: attribute; value; records.
-- NULL: stays, so that an attribute of NULLs alone has a row; * and open ends have none unless there is nothing else.
CREATE OR REPLACE TEMP TABLE original_values AS
SELECT
    attribute,
    unnest(CASE
        WHEN text IS NULL OR text = '*' THEN [NULL]
        ELSE list_filter([lower_text, upper_text], lambda written: written NOT IN ('-inf', 'inf'))
    END) AS value,
    records
FROM label_ends
