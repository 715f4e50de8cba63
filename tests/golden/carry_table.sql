INSERT INTO "anonduck_target"."my schema"."it's ""odd""" ("a b", "it's ""odd""") SELECT "a b", "it's ""odd""" FROM "anonduck_replaced"."my schema"."it's ""odd"""
