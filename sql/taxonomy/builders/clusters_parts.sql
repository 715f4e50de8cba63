-- The bins of the values of many columns that occur together, from those of some columns each.
-- One row: as in numbered_frequency.
-- Reads: numbered_frequency, the parts
-- Binds: columns (list), parts (list)
-- Result: temporary table binned_frequency: the columns of the parts, "#records".
CREATE OR REPLACE TEMPORARY TABLE binned_frequency AS
SELECT f."#records", each(columns, p{first}."{name}")
FROM numbered_frequency AS f
joins(parts, JOIN binned_from_{first} AS p{first} ON f."#row" = p{first}."#row")
