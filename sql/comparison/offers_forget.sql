-- Effect: forgets what methods offer.
-- One row: what they offer beside the rules of a discovery.
-- Reads: method_offers
-- Binds: nothing
-- NULL: does not occur.
DELETE FROM method_offers
