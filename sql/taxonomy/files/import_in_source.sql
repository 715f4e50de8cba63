-- Whether the leaf of a line of a hierarchy file is a value of the source.
-- One row: always one.
-- Reads: hierarchy_lines, the frequency set.
-- Binds: frequency (table), source_value (column), $place (value), $line (value)
-- Result: in_source.
-- NULL: a leaf that is no value of the column's type is not in the source.
SELECT
    EXISTS (
        SELECT 1
        FROM frequency
        INNER JOIN hierarchy_lines ON hierarchy_lines.value = frequency.source_value
        WHERE hierarchy_lines.place = $place AND hierarchy_lines.line = $line
    ) AS in_source
