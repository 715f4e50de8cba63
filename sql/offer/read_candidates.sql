-- The candidates of one offer.
-- One row: a candidate, as a JSON document.
-- Reads: candidates
-- Binds: $offer (value)
-- Result: in the order in which they were measured.
SELECT candidate
FROM candidates
WHERE offer = $offer
ORDER BY place
