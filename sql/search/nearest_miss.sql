-- The RFD whose rule comes nearest to the k that no rule reaches.
-- One row: the one of largest k, by name among equals; none without an RFD.
-- Reads: rfds
-- Binds: nothing
-- NULL: does not occur.
SELECT literal, k
FROM rfds
ORDER BY k DESC, literal
LIMIT 1
