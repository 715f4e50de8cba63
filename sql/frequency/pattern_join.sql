-- What the histogram of distance patterns was made of.
-- One row: the latest pair join.
-- Binds: $records (value), $joined_records (value), $sampled (value), $seed (value), $pairs (value),
--   $class_differing_pairs (value), $patterns (value), $kept_patterns (value), $estimated_patterns (value),
--   $missed_pairs (value), $exact (value), $reason (value)
-- NULL: estimated_patterns, where no sample of pairs was drawn first.
CREATE OR REPLACE TABLE pattern_join AS
SELECT
    $records::BIGINT AS records,
    $joined_records::BIGINT AS joined_records,
    $sampled::BOOLEAN AS sampled,
    $seed::BIGINT AS seed,
    $pairs::BIGINT AS pairs,
    $class_differing_pairs::BIGINT AS class_differing_pairs,
    $patterns::BIGINT AS patterns,
    $kept_patterns::BIGINT AS kept_patterns,
    $estimated_patterns::BIGINT AS estimated_patterns,
    $missed_pairs::BIGINT AS missed_pairs,
    $exact::BOOLEAN AS exact,
    $reason::VARCHAR AS reason
