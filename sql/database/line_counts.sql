-- The distinct lines of a CSV file after its header, with how often each comes, whatever they hold; at most so many.
-- One row: a distinct line.
-- Reads: the file
-- Binds: $path (value), $most (value)
-- Result: times counts the lines that are alike.
-- NULL: an empty line.
SELECT line, count(*) AS times
FROM read_csv(
    $path, columns = {'line': 'VARCHAR'}, auto_detect = false, header = true, delim = chr(1), quote = '', escape = ''
)
GROUP BY line
LIMIT $most
