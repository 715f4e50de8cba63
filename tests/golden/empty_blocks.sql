CREATE OR REPLACE TEMPORARY TABLE pattern_blocks (
  key_0 BIGINT,
  pairs BIGINT,
  missed BIGINT
)
