CREATE TABLE answers (
    key           TEXT NOT NULL,     -- SHA-256 of the output-affecting fields and the repetition
    endpoint      TEXT NOT NULL,     -- its address; empty for a model that is served here, known by its weights
    model         TEXT NOT NULL,
    request       TEXT NOT NULL,     -- JSON, whole
    response      TEXT NOT NULL,     -- JSON, whole
    finish_reason TEXT NOT NULL,
    tokens_in     INTEGER,           -- null if the endpoint reported none
    tokens_out    INTEGER,
    cost_usd      REAL NOT NULL,
    latency_ms    REAL NOT NULL,
    attempts      INTEGER NOT NULL,
    checksum      TEXT NOT NULL,     -- of the columns before it
    made_at       TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    PRIMARY KEY (key, endpoint)
) WITHOUT ROWID;

CREATE TABLE calls (
    call          INTEGER PRIMARY KEY,
    at            TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    suite         TEXT NOT NULL,
    system        TEXT NOT NULL,
    case_id       TEXT NOT NULL,
    repetition    INTEGER NOT NULL,
    purpose       TEXT NOT NULL,
    model         TEXT NOT NULL,
    endpoint      TEXT NOT NULL DEFAULT '',
    key           TEXT NOT NULL,     -- of the answer, if it was kept
    prompt_hash   TEXT NOT NULL,
    tokens_in     INTEGER,
    tokens_out    INTEGER,
    cost_usd      REAL NOT NULL,     -- of the answer; paid only if spent
    latency_ms    REAL NOT NULL,
    attempts      INTEGER NOT NULL,
    cache_hit     INTEGER NOT NULL,
    spent         INTEGER NOT NULL,  -- 1 if the endpoint was reached: counts towards max_usd and max_calls
    finish_reason TEXT NOT NULL,
    error         TEXT,
    request       TEXT,              -- JSON, if the call reached the endpoint and the answer was not kept
    response      TEXT
);

CREATE INDEX calls_spent ON calls (model, cost_usd) WHERE spent;
