-- The number of pairs up to which patterns go, when at most so many of them are to stay.
-- One row: that number.
-- Reads: pattern_blocks
-- Binds: $most (value)
SELECT min(most_pairs)::BIGINT AS cut
FROM (
    SELECT pairs + missed AS most_pairs, sum(count(*)) OVER (ORDER BY pairs + missed DESC) - count(*) AS above
    FROM pattern_blocks
    GROUP BY pairs + missed
) AS by_frequency
WHERE above <= $most
