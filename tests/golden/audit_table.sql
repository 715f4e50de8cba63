CREATE OR REPLACE TEMPORARY VIEW release AS
SELECT
  *
FROM "audited"."my schema"."a ""b"""
