BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
SELECT SET_CONFIG(name, CASE LOWER(name) WHEN 'client_encoding' THEN 'UTF8' WHEN 'standard_conforming_strings' THEN 'on' WHEN 'datestyle' THEN 'ISO, YMD' WHEN 'intervalstyle' THEN 'postgres' WHEN 'timezone' THEN 'UTC' WHEN 'bytea_output' THEN 'hex' WHEN 'extra_float_digits' THEN '1' WHEN 'client_connection_check_interval' THEN '5s' WHEN 'client_min_messages' THEN 'error' WHEN 'join_collapse_limit' THEN '1' WHEN 'from_collapse_limit' THEN '1' END, TRUE) AS value FROM pg_settings WHERE LOWER(name) IN ('client_encoding', 'standard_conforming_strings', 'datestyle', 'intervalstyle', 'timezone', 'bytea_output', 'extra_float_digits', 'client_connection_check_interval', 'client_min_messages', 'join_collapse_limit', 'from_collapse_limit');
SELECT CURRENT_SETTING('server_version') AS value;
SELECT SETSEED(0.25) IS NULL AS done;
WITH RECURSIVE bases AS (SELECT attnum, CAST(attname AS TEXT) AS name, atttypid AS type, atttypmod AS modifier FROM pg_attribute WHERE attrelid = TO_REGCLASS('"shop"."it''s"') AND attnum > 0 AND NOT attisdropped AND HAS_COLUMN_PRIVILEGE(attrelid, attnum, 'SELECT') UNION ALL SELECT b.attnum, b.name, t.typbasetype, CASE t.typtypmod WHEN -1 THEN b.modifier ELSE t.typtypmod END FROM bases AS b JOIN pg_type AS t ON t.oid = b.type WHERE t.typtype = 'd') SELECT b.name, CASE WHEN n.nspname = 'pg_catalog' THEN CAST(t.typname AS TEXT) ELSE 'other' END AS type, b.modifier FROM bases AS b JOIN pg_type AS t ON t.oid = b.type JOIN pg_namespace AS n ON n.oid = t.typnamespace WHERE t.typtype <> 'd' ORDER BY b.attnum;
SELECT MAX(reltuples) AS n FROM pg_class WHERE oid = TO_REGCLASS('"people"') AND relkind = 'r';
SELECT TO_REGCLASS('"shop"."people"') IS NOT NULL AS e;
SELECT t."pay" AS c0, BOOL_OR(t."anonduck rounded 0") AS rounded, COUNT(*) AS records FROM (SELECT s."job" COLLATE "C" AS "job", CAST(s."pay" AS DOUBLE PRECISION) AS "pay", CAST(s."ill" AS TEXT) COLLATE "C" AS "ill", CAST(CAST(s."pay" AS DOUBLE PRECISION) AS NUMERIC) IS DISTINCT FROM s."pay" AS "anonduck rounded 0" FROM "shop"."people" AS s) AS t GROUP BY t."pay";
BEGIN ISOLATION LEVEL REPEATABLE READ;
CREATE TEMPORARY VIEW "source" AS SELECT s."job" COLLATE "C" AS "job", CAST(s."pay" AS DOUBLE PRECISION) AS "pay", CAST(s."ill" AS TEXT) COLLATE "C" AS "ill" FROM "shop"."people" AS s;
ANALYZE "lookup";
CREATE TEMPORARY VIEW "rows" AS SELECT 1 AS a;
CREATE TABLE "shop"."new" AS SELECT s."job" COLLATE "default" AS "job", s."pay" AS "pay", s."ill" AS "ill" FROM "shop"."people" AS s ORDER BY s."job" COLLATE "C", s."pay", CAST(s."ill" AS TEXT) COLLATE "C";
DROP TABLE IF EXISTS "shop"."old";
ALTER TABLE "shop"."new" RENAME TO "old";
COMMIT
