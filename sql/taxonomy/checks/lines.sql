-- Where the offenders of a check stand in the file that the taxonomy was imported from.
-- One row: a line of the file.
-- Reads: the taxonomy of one column, the lines of its leaves.
-- Binds: taxonomy (table), lines (table), label (column), $offenders (value), $most (value)
-- Result: line, ascending, up to $most of them; a leaf that was added by SQL has none.
-- NULL: a NULL label is no offender by name.
SELECT DISTINCT lines.line
FROM lines
SEMI JOIN (
    SELECT value
    FROM taxonomy
    WHERE CAST(label AS VARCHAR) IN (SELECT unnest($offenders::VARCHAR[]))
) AS held ON held.value = lines.value
ORDER BY lines.line
LIMIT $most
