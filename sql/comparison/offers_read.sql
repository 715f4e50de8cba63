-- What methods offer beside the rules of a discovery.
-- One row: what they offer, if they were asked.
-- Reads: method_offers
-- Binds: $discovery (value)
-- Result: document, JSON text.
-- NULL: does not occur.
SELECT document
FROM method_offers
WHERE discovery = $discovery
