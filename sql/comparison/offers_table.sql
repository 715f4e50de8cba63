-- Where releases by methods are kept that are offered beside the rules of a discovery.
-- One row: what methods came to at each k of its frontier, as JSON, and what identifies the discovery.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not occur.
CREATE TABLE IF NOT EXISTS method_offers (discovery VARCHAR NOT NULL, document VARCHAR NOT NULL)
