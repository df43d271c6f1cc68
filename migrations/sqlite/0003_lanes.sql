-- Work for workers, what it costs, what is paid, what was said. The twin of the file of this name for PostgreSQL.

-- Why every balance is what it is. A chat's balance is the sum of its lines; they begin with what it has now.
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY,
    bot_id INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    amount INTEGER NOT NULL,
    reference TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX ledger_of_chat ON ledger (bot_id, chat_id);

INSERT INTO ledger (bot_id, chat_id, kind, amount, reference, at)
SELECT bot_id, chat_id, 'opening', balance, '', CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
FROM chats WHERE balance <> 0 ORDER BY bot_id, chat_id;

-- Every payment, whether or not anything could be given for it. `product` is null where nothing was.
CREATE TABLE payments (
    bot_id INTEGER NOT NULL,
    charge TEXT NOT NULL,
    chat_id INTEGER NOT NULL,
    product TEXT,
    payload TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    premium_days INTEGER NOT NULL,
    at INTEGER NOT NULL,
    refunded_at INTEGER,
    PRIMARY KEY (bot_id, charge)
) STRICT;

CREATE INDEX payments_recorded ON payments (bot_id, at);

-- What was said last. `position` is the order: the version of the commit, times 256, plus the place in it.
CREATE TABLE turns (
    bot_id INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    role TEXT NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (bot_id, chat_id, position)
) STRICT;

-- What workers have uploaded and is not sent yet.
CREATE TABLE files (
    bot_id INTEGER NOT NULL,
    id TEXT NOT NULL,
    content BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (bot_id, id)
) STRICT;

CREATE INDEX files_kept ON files (at);

-- The handler's.
ALTER TABLE chats ADD COLUMN premium_until INTEGER;

ALTER TABLE chats ADD COLUMN paid INTEGER NOT NULL DEFAULT 0;

-- Of a worker's job: its place in the queue that the chat was told last, and what the worker has made so far.
ALTER TABLE jobs ADD COLUMN told INTEGER;

ALTER TABLE jobs ADD COLUMN progress TEXT;

-- By it workers' jobs are leased and counted, one bot after the other.
CREATE INDEX jobs_work ON jobs (lane, bot_id, run_at) WHERE lane <> 'outbound';

-- An older program would answer 200 to a payment without recording it, change balances without the ledger, and leave
-- what was said when a user is forgotten.
UPDATE schema_readable SET since = 3;
