-- Of a screen job that is leased: what its screen shows has changed since, so it is drawn once more. An older program
-- leaves that to the next change. The twin of the file of this name for PostgreSQL.
ALTER TABLE jobs ADD COLUMN stale INTEGER NOT NULL DEFAULT 0;
