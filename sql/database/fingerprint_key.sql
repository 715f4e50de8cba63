-- Where the key of fingerprints is kept.
-- One row: the key of this decision database.
CREATE TABLE IF NOT EXISTS fingerprint_key (key VARCHAR NOT NULL)
