-- Where releases by methods are kept in mind.
-- One row: a release that was made, with its file and what its receipt says, as JSON.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not occur.
CREATE TABLE IF NOT EXISTS made_releases (file VARCHAR NOT NULL, document VARCHAR NOT NULL)
