ALTER TABLE "target"."main"."before" RENAME TO "it's ""odd"""
