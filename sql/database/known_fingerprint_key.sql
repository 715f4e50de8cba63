-- The key of fingerprints, which never leaves the decision database.
-- One row: the key; none before the first fingerprint.
-- Reads: fingerprint_key
SELECT key
FROM fingerprint_key
