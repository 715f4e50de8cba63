CREATE TABLE "taxonomy"."it's ""odd""" AS SELECT * FROM "kept"."taxonomy"."it's ""odd"""
