-- Which activities a search word leads to. It is a table and not a GIN index: an order's words are
-- written once, but an index of snapshots would be written with each change of theirs.
--
-- Words are never removed and belong to no generation. They lead to candidates, and the snapshot
-- says whether it has the word.
CREATE TABLE activity_word (
    tenant integer NOT NULL,
    word text COLLATE "C" NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    CONSTRAINT activity_word_key PRIMARY KEY (tenant, word, activity_id)
);
