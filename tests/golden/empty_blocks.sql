CREATE OR REPLACE TABLE pattern_blocks (key_0 BIGINT, pairs BIGINT)
