SELECT
    t.c0, t.c1,
    count(*) AS records
FROM (SELECT COLLATE(s."job", '') AS c0, CAST(s."age" AS INT) AS c1 FROM "shop"."people" AS s WHERE (age >= 18)) AS t
GROUP BY t.c0, t.c1;
SELECT
    
    
    count(*) AS records
FROM (SELECT 1 AS nothing FROM "shop"."people" AS s WHERE (age >= 18)) AS t
;
SELECT
    count(*) AS records,
    count(t.c0) AS filled_0, count(t.c1) AS filled_1,
    APPROX_COUNT_DISTINCT(t.c0) AS distinct_0, APPROX_COUNT_DISTINCT(t.c1) AS distinct_1
FROM (SELECT COLLATE(s."job", '') AS c0, COLLATE(CAST(s."an ""odd"" name" AS VARCHAR), '') AS c1 FROM "shop"."people" AS s WHERE (age >= 18)) AS t;
SELECT max(CASE WHEN t.c0 = 0 AND CAST(t.c0 AS VARCHAR) LIKE '-%' THEN 1 ELSE 0 END) AS c0
FROM (SELECT CAST(s."age" AS INT) AS c0 FROM "shop"."people" AS s WHERE (age >= 18)) AS t;
SELECT
    w.c0,
    w.records
FROM (
    SELECT g.*, count(*) OVER () AS rows_in_all
    FROM (SELECT
    t.c0,
    count(*) AS records
FROM (SELECT COLLATE(s."job", '') AS c0 FROM "shop"."people" AS s WHERE (age >= 18)) AS t
GROUP BY t.c0
LIMIT 4) AS g
) AS w
WHERE w.rows_in_all <= 3;
SELECT
    g.place,
    g.holders,
    count(*) AS held,
    CAST(sum(g.records) AS BIGINT) AS records,
    bool_or(g.rounded) AS rounded
FROM (
    SELECT
        
        CASE WHEN GROUPING(t.c0) = 0 AND GROUPING(t.c1) = 0 THEN  -1 WHEN GROUPING(t.c0) = 0 THEN 0 END AS place,
        count(DISTINCT t.c2) + max(CASE WHEN t.c2 IS NULL THEN 1 ELSE 0 END) AS holders, count(*) AS records,
        bool_or(t.rounded) AS rounded
    FROM (SELECT COLLATE(s."job", '') AS c0, CAST(s."age" AS INT) AS c1, s."mail" AS c2, CAST(CAST(s."age" AS DOUBLE PRECISION) AS NUMERIC) IS DISTINCT FROM s."age" AS rounded FROM "shop"."people" AS s WHERE (age >= 18)) AS t
    GROUP BY GROUPING SETS ((t.c0, t.c1), (t.c0))
) AS g
GROUP BY g.place, g.holders;
SELECT m.common_value, m.records, count(*) AS n
FROM (
    SELECT
        CASE WHEN g.records >= 5 THEN g.c0 END AS common_value,
        CASE WHEN g.records >= 5 THEN g.records END AS records
    FROM (SELECT t.c0, count(*) AS records FROM (SELECT COLLATE(s."job", '') AS c0 FROM "shop"."people" AS s WHERE (age >= 18)) AS t GROUP BY t.c0) AS g
) AS m
GROUP BY m.common_value, m.records;
SELECT t.c0
FROM (SELECT COLLATE(s."job", '') AS c0 FROM "shop"."people" AS s WHERE (age >= 18)) AS t
WHERE UNIFORM(0::DOUBLE, 1::DOUBLE, RANDOM()) < 0.5
ORDER BY UNIFORM(0::DOUBLE, 1::DOUBLE, RANDOM())
LIMIT 10;
SELECT g.t, count(*) AS n
FROM (
    SELECT COLLATE(s.c0, '') AS t
    FROM (SELECT CAST('a' AS VARCHAR) AS c0
UNION ALL
SELECT CAST('é' AS VARCHAR) AS c0
UNION ALL
SELECT CAST(NULL AS VARCHAR) AS c0) AS s
) AS g
GROUP BY g.t
