-- Work for workers, what it costs, what is paid, what was said.

-- Why every balance is what it is. A chat's balance is the sum of its lines; they begin with what it has now.
CREATE TABLE ledger (
    id        bigint      GENERATED ALWAYS AS IDENTITY,
    bot_id    bigint      NOT NULL,
    chat_id   bigint      NOT NULL,
    amount    bigint      NOT NULL,
    at        timestamptz NOT NULL,
    kind      text        NOT NULL,
    reference text        NOT NULL,
    PRIMARY KEY (bot_id, chat_id, id)
);
INSERT INTO ledger (bot_id, chat_id, amount, at, kind, reference)
SELECT bot_id, chat_id, balance, now(), 'opening', '' FROM chats WHERE balance <> 0 ORDER BY bot_id, chat_id;

-- Every payment, whether or not anything could be given for it. `product` is null where nothing was.
CREATE TABLE payments (
    bot_id       bigint      NOT NULL,
    chat_id      bigint      NOT NULL,
    amount       bigint      NOT NULL,
    messages     bigint      NOT NULL,
    premium_days bigint      NOT NULL,
    at           timestamptz NOT NULL,
    refunded_at  timestamptz,
    charge       text        NOT NULL,
    product      text,
    payload      text        NOT NULL,
    currency     text        NOT NULL,
    PRIMARY KEY (bot_id, charge)
);
CREATE INDEX payments_recorded ON payments (bot_id, at);

-- What was said last. `position` is the order: the version of the commit, times 256, plus the place in it.
CREATE TABLE turns (
    bot_id   bigint      NOT NULL,
    chat_id  bigint      NOT NULL,
    position bigint      NOT NULL,
    at       timestamptz NOT NULL,
    role     text        NOT NULL,
    text     text        NOT NULL,
    PRIMARY KEY (bot_id, chat_id, position)
);

-- What workers have uploaded and is not sent yet.
CREATE TABLE files (
    bot_id  bigint      NOT NULL,
    at      timestamptz NOT NULL,
    id      text        NOT NULL,
    content bytea       NOT NULL,
    PRIMARY KEY (bot_id, id)
);
CREATE INDEX files_kept ON files (at);

-- The handler's.
ALTER TABLE chats ADD COLUMN premium_until timestamptz, ADD COLUMN paid boolean NOT NULL DEFAULT false;

-- Of a worker's job: its place in the queue that the chat was told last, and what the worker has made so far.
ALTER TABLE jobs ADD COLUMN told bigint, ADD COLUMN progress text;

-- By it workers' jobs are leased and counted, one bot after the other. It has no column that a lease changes, not even
-- in its condition: then a lease stays HOT, in `outbound` too.
CREATE INDEX jobs_work ON jobs (lane, bot_id, run_at, id) WHERE lane <> 'outbound';

-- An older program would answer 200 to a payment without recording it, change balances without the ledger, and leave
-- what was said when a user is forgotten.
UPDATE schema_readable SET since = 3;
