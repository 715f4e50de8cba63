CREATE TABLE "a"."b"."it's ""odd""" AS
SELECT
  1
