-- A new key of fingerprints.
-- One row: the key, hexadecimal.
-- Binds: $key (value)
INSERT INTO fingerprint_key VALUES ($key)
