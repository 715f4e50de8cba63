DROP TABLE IF EXISTS "target"."main"."it's ""odd"""
