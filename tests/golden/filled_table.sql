INSERT INTO "main"."it's ""odd""" SELECT * FROM "kept"."main"."it's ""odd"""
