CREATE OR REPLACE TEMPORARY VIEW attacked_taxonomy AS
SELECT
  *
FROM "anonduck_source"."taxonomy"."it's ""odd"""
