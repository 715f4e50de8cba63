-- Effect: keeps what methods offer beside the rules of a discovery.
-- One row: what they offer.
-- Reads: method_offers
-- Binds: $discovery (value), $document (value)
-- NULL: does not occur.
INSERT INTO method_offers (discovery, document) VALUES ($discovery, $document)
