-- The first schema: bots, chats, jobs, dead updates.
-- Migrations have the same names in both profiles and are never edited once released.

-- Rolling deploys: one row, the lowest version of the program's schema that may still use this one. A migration after
-- which an older program would go wrong ends with `UPDATE schema_readable SET since = <its own version>`; any other
-- leaves the row alone, and programs of the versions from `since` on keep running on the newer schema.
CREATE TABLE schema_readable (
    since bigint NOT NULL
);
INSERT INTO schema_readable (since) VALUES (1);

CREATE TABLE bots (
    bot_id                bigint      PRIMARY KEY,
    name                  text        NOT NULL UNIQUE,
    username              text,
    token                 text        NOT NULL,
    secret                text        NOT NULL,
    previous_secret       text,
    previous_secret_until timestamptz,
    max_connections       integer     NOT NULL,
    base_url              text,
    flow                  text        NOT NULL,
    paused                boolean     NOT NULL,
    created_at            timestamptz NOT NULL,
    updated_at            timestamptz NOT NULL
);

-- No index but the key, and room on every page: then an update of a chat is HOT and touches no index.
-- JSON is opaque to the database, hence `text`. Fixed-width columns stand first; no foreign key, because it would
-- lock the bot's row at every insert.
CREATE TABLE chats (
    bot_id               bigint      NOT NULL,
    chat_id              bigint      NOT NULL,
    -- the handler's columns, written under compare-and-set on `version`
    version              bigint      NOT NULL,
    balance              bigint      NOT NULL,
    -- the sender's columns, never written by the handler
    hold_until           timestamptz,
    unreachable_revision bigint,
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    banned               boolean     NOT NULL,
    blocked              boolean     NOT NULL,
    locale               text,
    busy                 text,
    desired              text,
    vars                 text        NOT NULL,
    fence                text        NOT NULL,
    -- the sender's, too
    shown                text,
    PRIMARY KEY (bot_id, chat_id)
) WITH (fillfactor = 70);

-- Jobs that are not settled yet; a settled one is deleted.
-- `key`: `screen`, or `VERSION.ORDINAL` for a task. `position`: the order of a chat's jobs.
-- `place` stands in screen jobs, `payload` in tasks. A parked job has `run_at` infinity.
CREATE TABLE jobs (
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    bot_id      bigint      NOT NULL,
    chat_id     bigint      NOT NULL,
    position    bigint      NOT NULL,
    serial      bigint      NOT NULL,
    run_at      timestamptz NOT NULL,
    lease_until timestamptz,
    lease_token bigint,
    created_at  timestamptz NOT NULL,
    attempts    integer     NOT NULL,
    lane        text        NOT NULL,
    key         text        NOT NULL,
    place       text,
    payload     text,
    -- by id alone a lease is renewed; with `bot_id` the table can be partitioned by it
    PRIMARY KEY (id, bot_id),
    UNIQUE (bot_id, chat_id, key)
) WITH (fillfactor = 85);
CREATE INDEX jobs_due ON jobs (lane, run_at, id);

-- Updates that failed, and since `dead_at` those that are given up.
-- `key`: the update's id, or `sha256:…` of its body where it has none.
CREATE TABLE dead_updates (
    bot_id    bigint      NOT NULL,
    key       text        NOT NULL,
    update_id bigint,
    failures  integer     NOT NULL,
    dead_at   timestamptz,
    reason    text        NOT NULL,
    body      bytea       NOT NULL,
    first_at  timestamptz NOT NULL,
    last_at   timestamptz NOT NULL,
    PRIMARY KEY (bot_id, key)
);
