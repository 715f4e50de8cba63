-- Positions written as `latitude,longitude` in degrees, as geohashes of twelve characters.
-- One row: a row of the relation held.
-- Reads: held (a relation with the column value: the distinct values of a column)
-- Binds: held (table)
-- Result: value, hash; NULL where the text is no position on earth. A coordinate becomes the number of its cell among
--   2^30; a bound between cells is exact in floating point, so a number that the division moved across it is put
--   back. A character of the hash is three bits of one coordinate and two of the other laid into one another,
--   longitude first; digits holds the geohash alphabet in the order of such pairs.
-- NULL: stays NULL.
WITH texts AS (
    SELECT
        value,
        split_part(CAST(value AS VARCHAR), ',', 1) AS first,
        split_part(CAST(value AS VARCHAR), ',', 2) AS second,
        CAST(value AS VARCHAR) LIKE '%,%,%' AS more
    FROM held
),
degrees AS (
    SELECT
        value,
        CASE WHEN NOT more THEN TRY_CAST(first AS DOUBLE) END AS north,
        CASE WHEN NOT more THEN TRY_CAST(second AS DOUBLE) END AS east
    FROM texts
),
positions AS (
    SELECT
        value,
        CASE WHEN north BETWEEN -90 AND 90 AND east BETWEEN -180 AND 180 THEN north END AS latitude,
        CASE WHEN north BETWEEN -90 AND 90 AND east BETWEEN -180 AND 180 THEN east END AS longitude
    FROM degrees
),
near AS (
    SELECT
        value,
        latitude,
        longitude,
        CAST(floor((latitude + 90) / 180 * 1073741824) AS BIGINT) AS near_y,
        CAST(floor((longitude + 180) / 360 * 1073741824) AS BIGINT) AS near_x
    FROM positions
),
bounds AS (
    SELECT
        value,
        near_y
        - CAST(latitude < near_y * 180.0::DOUBLE / 1073741824 - 90 AS BIGINT)
        + CAST(latitude >= (near_y + 1) * 180.0::DOUBLE / 1073741824 - 90 AS BIGINT) AS cell_y,
        near_x
        - CAST(longitude < near_x * 360.0::DOUBLE / 1073741824 - 180 AS BIGINT)
        + CAST(longitude >= (near_x + 1) * 360.0::DOUBLE / 1073741824 - 180 AS BIGINT) AS cell_x
    FROM near
),
cells AS (
    SELECT
        value,
        CASE WHEN cell_y > 1073741823 THEN 1073741823 ELSE cell_y END AS y,
        CASE WHEN cell_x > 1073741823 THEN 1073741823 ELSE cell_x END AS x,
        '028b139c46df57eghksujmtvnqwyprxz' AS digits
    FROM bounds
)
SELECT
    value,
    (
            substr(digits, ((x >> 27) & 7) * 4 + ((y >> 28) & 3) + 1, 1)
        || substr(digits, ((y >> 25) & 7) * 4 + ((x >> 25) & 3) + 1, 1)
        || substr(digits, ((x >> 22) & 7) * 4 + ((y >> 23) & 3) + 1, 1)
        || substr(digits, ((y >> 20) & 7) * 4 + ((x >> 20) & 3) + 1, 1)
        || substr(digits, ((x >> 17) & 7) * 4 + ((y >> 18) & 3) + 1, 1)
        || substr(digits, ((y >> 15) & 7) * 4 + ((x >> 15) & 3) + 1, 1)
        || substr(digits, ((x >> 12) & 7) * 4 + ((y >> 13) & 3) + 1, 1)
        || substr(digits, ((y >> 10) & 7) * 4 + ((x >> 10) & 3) + 1, 1)
        || substr(digits, ((x >> 7) & 7) * 4 + ((y >> 8) & 3) + 1, 1)
        || substr(digits, ((y >> 5) & 7) * 4 + ((x >> 5) & 3) + 1, 1)
        || substr(digits, ((x >> 2) & 7) * 4 + ((y >> 3) & 3) + 1, 1)
        || substr(digits, (y & 7) * 4 + (x & 3) + 1, 1)
    ) AS hash
FROM cells
