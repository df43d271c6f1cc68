-- What is kept of bots, chats, jobs and dead updates. The twin of the file of this name for PostgreSQL.
-- Moments are milliseconds since the Unix epoch; what is JSON is opaque here. STRICT: a value of another type is
-- refused, as PostgreSQL would.

-- Rolling deploys: one row, the lowest version of the program's schema that may still use this one. A migration after
-- which an older program would go wrong ends with `UPDATE schema_readable SET since = <its own version>`; any other
-- leaves the row alone.
CREATE TABLE schema_readable (
    since INTEGER NOT NULL
) STRICT;

INSERT INTO schema_readable (since) VALUES (1);

CREATE TABLE bots (
    bot_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    username TEXT,
    token TEXT NOT NULL,
    secret TEXT NOT NULL,
    previous_secret TEXT,
    previous_secret_until INTEGER,
    max_connections INTEGER NOT NULL,
    base_url TEXT,
    flow TEXT NOT NULL,
    paused INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- An ordinary table with an index on its key, not WITHOUT ROWID: rows of half a kilobyte and more in the inner pages
-- of the key's tree would leave it a fan-out of a few and make it twice as deep as these two trees.
CREATE TABLE chats (
    bot_id INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    -- the handler's
    version INTEGER NOT NULL,
    locale TEXT,
    desired TEXT,
    vars TEXT NOT NULL,
    balance INTEGER NOT NULL,
    busy TEXT,
    banned INTEGER NOT NULL,
    blocked INTEGER NOT NULL,
    fence TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- the sender's
    shown TEXT,
    hold_until INTEGER,
    unreachable_revision INTEGER,
    PRIMARY KEY (bot_id, chat_id)
) STRICT;

-- A settled job is deleted, its id is never used again. `key` is `screen` (at most one a chat, and a later one takes
-- its place) or `VERSION.ORDINAL`. `position` is the order of a chat's jobs.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    bot_id INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    lane TEXT NOT NULL,
    key TEXT NOT NULL,
    position INTEGER NOT NULL,
    serial INTEGER NOT NULL,
    place TEXT,
    payload TEXT,
    run_at INTEGER NOT NULL,
    lease_until INTEGER,
    lease_token INTEGER,
    attempts INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (bot_id, chat_id, key)
) STRICT;

CREATE INDEX jobs_due ON jobs (lane, run_at);

-- `key` is the update's id, or `sha256:…` of a body without one.
CREATE TABLE dead_updates (
    bot_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    update_id INTEGER,
    failures INTEGER NOT NULL,
    dead_at INTEGER,
    reason TEXT NOT NULL,
    body BLOB NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (bot_id, key)
) STRICT;
