-- Of a screen job that is leased: what its screen shows has changed since, so it is drawn once more. An older program
-- leaves that to the next change.
ALTER TABLE jobs ADD COLUMN stale boolean NOT NULL DEFAULT false;
