-- Every fact stands in one place. {dim} is filled in when a store is created.

-- A memory's whole state is its depth: +inf pinned, 1 surface, (0, 1) sinking, 0 submerged, NULL void.
-- The depth is that of the memory's last event. A sinking memory sinks by itself from `last_used_at`, the last use that was
-- counted, or its inscription, or the last consolidation that its depth has in it; `use_count` are the uses since.
-- A void memory keeps its row, which holds nothing but the id, so that no id is ever given out twice.
CREATE TABLE memory (
    memory_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    version_id   INTEGER,
    depth        REAL,
    last_used_at REAL,
    use_count    INTEGER NOT NULL DEFAULT 0,
    owner        TEXT,
    session      TEXT,
    source       TEXT,
    expires_at   REAL,
    CHECK (depth IS NULL OR depth BETWEEN 0.0 AND 1.0 OR depth = 9e999),
    CHECK ((depth IS NULL) = (version_id IS NULL)),
    CHECK (depth IS NOT NULL OR coalesce(owner, session, source, expires_at) IS NULL)
);
CREATE INDEX memory_below_surface ON memory (depth, memory_id) WHERE depth < 1.0;
CREATE INDEX memory_of_owner ON memory (owner) WHERE owner IS NOT NULL;
CREATE INDEX memory_of_session ON memory (session) WHERE session IS NOT NULL;
CREATE INDEX memory_of_source ON memory (source) WHERE source IS NOT NULL;
CREATE INDEX memory_that_expires ON memory (expires_at) WHERE expires_at IS NOT NULL;

CREATE TRIGGER memory_is_never_deleted BEFORE DELETE ON memory
BEGIN SELECT RAISE(ABORT, 'a memory row is never deleted: its id must not be used again'); END;

CREATE TRIGGER memory_stays_void BEFORE UPDATE ON memory WHEN OLD.depth IS NULL
BEGIN SELECT RAISE(ABORT, 'a purged memory stays void'); END;

-- The only place for texts and vectors besides the lexical index. An edit adds a version. The checksum is of the text, the
-- vector, the ids, the scope and the end under the salt (`seals.py`). The log has it too: a purge deletes the salt, without
-- which it tells nothing of a guessed text. The signature is the writer's, where the memory's source is one (`signing.py`).
CREATE TABLE version (
    version_id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id  INTEGER NOT NULL REFERENCES memory,
    text       TEXT NOT NULL,
    vector     BLOB NOT NULL,
    signature  BLOB,
    salt       BLOB NOT NULL,
    checksum   BLOB NOT NULL
);
CREATE INDEX version_of_memory ON version (memory_id);

-- While the file is re-embedded (`reembedding.py`): the new vectors that are there so far, each under the key's seal if the
-- file is sealed. They take the place of the old ones all at once.
CREATE TABLE reembedded (
    version_id INTEGER PRIMARY KEY REFERENCES version ON DELETE CASCADE,
    vector     BLOB NOT NULL,
    seal       BLOB
);

-- By the hash of its normal form (`normalisation.py`) every memory with an equal text is found without a search.
CREATE TABLE form (
    hash       BLOB NOT NULL,
    version_id INTEGER NOT NULL REFERENCES version ON DELETE CASCADE,
    PRIMARY KEY (hash, version_id)
) WITHOUT ROWID;
CREATE INDEX form_of_version ON form (version_id);

-- One row per transition of one memory. No text, so a purge never has to rewrite it. The commitment is the checksum of the
-- version that the event told, if it told one; `cause` is one to who did it and why, if that was said. The digest is the
-- event's leaf in the Merkle tree over the log (RFC 9162, section 2.1).
CREATE TABLE event (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    at           REAL NOT NULL,
    operation    TEXT NOT NULL,
    memory_id    INTEGER NOT NULL REFERENCES memory,
    depth_before REAL,
    depth_after  REAL,
    version_id   INTEGER NOT NULL,
    successor_id INTEGER REFERENCES memory,
    commitment   BLOB,
    digest       BLOB NOT NULL,
    cause        BLOB
);
CREATE INDEX event_of_memory ON event (memory_id);
CREATE INDEX event_of_successor ON event (successor_id) WHERE successor_id IS NOT NULL;

CREATE TRIGGER event_is_never_updated BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

-- INSERT OR REPLACE deletes without firing the trigger above (unless PRAGMA recursive_triggers is on).
CREATE TRIGGER event_is_never_replaced BEFORE INSERT ON event
WHEN EXISTS (SELECT 1 FROM event WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

-- Who did what an event tells, and why. A purge deletes the rows of all events about its memories, with the salts of the log's
-- commitments to them (`causes.py`); those of the purges themselves stay.
CREATE TABLE cause (
    seq    INTEGER PRIMARY KEY REFERENCES event DEFERRABLE INITIALLY DEFERRED,
    actor  TEXT,
    reason TEXT,
    salt   BLOB NOT NULL
);

-- The complete subtrees of that tree above its leaves: node (level, number) covers the 2^level events from
-- number * 2^level + 1. They are derived from the log, and let a receipt be checked without reading all of it.
CREATE TABLE node (
    level  INTEGER NOT NULL,
    number INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (level, number)
) WITHOUT ROWID;

-- Under a key that is not in this file: for each memory that is not void, the seal of its state and its last event.
CREATE TABLE seal (
    memory_id INTEGER PRIMARY KEY,
    digest    BLOB NOT NULL
);

-- What is to stay forgotten: hashes, under a key that is not in this file, of texts that were erased. The mark is such a
-- hash of the owner whose memory it was, with the text's, and empty where it was nobody's.
CREATE TABLE tombstone (
    keyed_hash BLOB NOT NULL,
    mark       BLOB NOT NULL DEFAULT x'',
    PRIMARY KEY (keyed_hash, mark)
) WITHOUT ROWID;

-- Which tombstone was lifted by which relearn event, sealed under that key: a receipt that promised it holds on.
CREATE TABLE lifted (
    keyed_hash BLOB NOT NULL,
    seq        INTEGER NOT NULL,
    seal       BLOB NOT NULL,
    PRIMARY KEY (keyed_hash, seq)
) WITHOUT ROWID;

-- Each consolidation: how many events the log had after it, its moment, its half-life. What sinks has sunk up to the moment of
-- the last one.
CREATE TABLE consolidation (
    seq            INTEGER NOT NULL,
    moment         REAL NOT NULL,
    half_life_days REAL NOT NULL,
    PRIMARY KEY (seq, moment)
) WITHOUT ROWID;

-- What a receipt says that the log does not, so that one that was lost is given again. Keyed hashes of erased texts stand
-- here for the latest purge alone.
CREATE TABLE receipt (
    last_seq        INTEGER PRIMARY KEY,
    before          INTEGER NOT NULL,
    stays_forgotten INTEGER NOT NULL,
    keyed_hashes    TEXT
);

-- The lexical index holds live memories only, so that its statistics and k refer to what can be recalled.
-- External content over the view `live`: the text is not stored a second time. `indexed` is a function of `words.py`.
CREATE VIEW live AS
    SELECT memory.memory_id, indexed(version.text, (SELECT words FROM store)) AS text
    FROM memory JOIN version ON version.version_id = memory.version_id
    WHERE memory.depth > 0.0;

CREATE VIRTUAL TABLE lexical USING fts5(
    text, content = 'live', content_rowid = 'memory_id', tokenize = "{tokenizer}"
);
INSERT INTO lexical (lexical, rank) VALUES ('secure-delete', 1);

-- `tombstone_key` is the public part of the key that tombstones were made with, and is set with the first of them.
-- `identity` is random: it tells this store from another, and from what it was before it was emptied. `head` is the seal of
-- it, of the log's size and of the log's root; only who has the key adds to the log of a sealed store. `words` says how
-- texts are taken apart into words (`words.py`). `embedded` is the number of the event from which on all vectors are of this
-- embedder; `next_embedder` and `next_dim` are those of the vectors in `reembedded`.
CREATE TABLE store (
    identity      BLOB NOT NULL,
    dim           INTEGER NOT NULL,
    embedder      TEXT,
    embedded      INTEGER NOT NULL DEFAULT 0,
    next_embedder TEXT,
    next_dim      INTEGER,
    words         TEXT NOT NULL,
    tombstone_key BLOB,
    head          BLOB
);
INSERT INTO store (identity, dim, words) VALUES (randomblob(16), {dim}, '{words}');
