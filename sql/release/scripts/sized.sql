-- The rows of a release with the sizes of their classes.
-- One row: a row of the release.
-- Reads: the rows, as released.
-- Binds: query (field), names (list), size (field), attributes (list), values (list), ranks (field)
-- Result: the columns; the size of the class; of each column of which distinct values are asked, the rank of the value.
-- NULL: is a value as any other.
SELECT
    each(names, released."{name}"),
    count(*) OVER (PARTITION BY each(attributes, {of_released};)) AS "{size}",
    each(values, dense_rank() OVER (PARTITION BY each(attributes, {of_released};) ORDER BY {value}) AS "{ranks}_{n}";)
FROM {query} AS released
