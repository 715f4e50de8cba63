-- What the histogram of distance patterns was made of.
-- One row: the latest pair join.
-- Reads: nothing
-- Binds: $records (value), $joined (value), $sampled (value), $seed (value)
-- NULL: does not occur.
CREATE OR REPLACE TABLE pattern_join AS
SELECT
    $records::BIGINT AS records,
    $joined::BIGINT AS joined_records,
    $sampled::BOOLEAN AS sampled,
    $seed::BIGINT AS seed
