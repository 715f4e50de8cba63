-- What a date or timestamp is called at each unit.
-- One row: a row of the relation held.
-- Reads: held (a relation with the columns value and stamp: DATE or TIMESTAMP)
-- Binds: held (table)
-- Result: value, stamp, and a label per unit; years outside 0 to 9999 have a sign, the year before 1 is 0 (ISO 8601).
--   A century is the hundred years whose first digits agree, so that decades nest in it. DuckDB has no week numbers in
--   its first year, which is one week here.
-- NULL: stays NULL, as do infinite dates here.
WITH numbers AS (
    SELECT
        value,
        stamp,
        year(stamp) AS number,
        CASE WHEN year(stamp) > -5877641 THEN isoyear(stamp) ELSE -5877641 END AS week_number,
        ((year(stamp) % 100) + 100) % 100 AS rest
    FROM held
),
years AS (
    SELECT
        value,
        stamp,
        number,
        CASE WHEN number BETWEEN 0 AND 9999 THEN printf('%04d', number) ELSE printf('%+05d', number) END AS year,
        CASE
            WHEN week_number BETWEEN 0 AND 9999 THEN printf('%04d', week_number)
            ELSE printf('%+05d', week_number)
        END AS week_year,
        number - rest % 5 AS five,
        number - rest % 10 AS ten,
        number - rest AS hundred
    FROM numbers
)
SELECT
    value,
    stamp,
    year,
    printf('%s-%02d-%02dT%02d:%02d:%02d', year, month(stamp), day(stamp), hour(stamp), minute(stamp), second(stamp))
        AS second,
    printf('%s-%02d-%02dT%02d:%02d', year, month(stamp), day(stamp), hour(stamp), minute(stamp)) AS minute,
    printf('%s-%02d-%02dT%02d', year, month(stamp), day(stamp), hour(stamp)) AS hour,
    printf('%s-%02d-%02d', year, month(stamp), day(stamp)) AS day,
    printf('%s-W%02d', week_year, CASE WHEN number > -5877641 THEN week(stamp) ELSE 1 END) AS week,
    printf('%s-%02d', year, month(stamp)) AS month,
    printf('%s-Q%d', year, quarter(stamp)) AS quarter,
    printf('%s-H%d', year, (quarter(stamp) + 1) // 2) AS half_year,
    CASE
        WHEN five BETWEEN 0 AND 9999 THEN printf('%04d-%04d', five, five + 4)
        ELSE printf('%+05d..%+05d', five, five + 4)
    END AS five_year,
    CASE WHEN ten BETWEEN 0 AND 9999 THEN printf('%04ds', ten) ELSE printf('%+05ds', ten) END AS decade,
    CASE
        WHEN hundred BETWEEN 0 AND 9999 THEN printf('%04d-%04d', hundred, hundred + 99)
        ELSE printf('%+05d..%+05d', hundred, hundred + 99)
    END AS century,
    printf('%d %s', isodow(stamp), dayname(stamp)) AS weekday,
    CASE WHEN isodow(stamp) < 6 THEN 'Monday to Friday' ELSE 'Saturday and Sunday' END AS weekend
FROM years
