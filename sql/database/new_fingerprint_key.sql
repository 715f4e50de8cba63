-- A new key of fingerprints.
-- One row: the key, hexadecimal.
-- Reads: nothing
-- Binds: $key (value)
-- NULL: does not occur.
INSERT INTO fingerprint_key VALUES ($key)
