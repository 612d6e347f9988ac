-- packed_columns: texts of the ledger and of snapshots are kept packed, see PackedTexts.
--
-- Nothing is rewritten: older rows keep their texts in the columns that are empty in newer ones.

-- Reason, significance, alert, news, content state, push order, relevance and time of going stale.
-- `alert` only says that there is one, for its index.
ALTER TABLE decision ADD COLUMN details bytea;
ALTER TABLE decision ALTER COLUMN reason DROP NOT NULL, ALTER COLUMN content_state DROP NOT NULL;

-- A node of an earlier version that still runs can neither fold nor send from now on: it would
-- write decisions that are pending nowhere.
ALTER TABLE decision RENAME COLUMN push_order TO plain_order;

-- Null means none, as it does for nearly all.
ALTER TABLE decision
    ALTER COLUMN channels_accepted DROP NOT NULL, ALTER COLUMN channels_accepted DROP DEFAULT,
    ALTER COLUMN channels_failed DROP NOT NULL, ALTER COLUMN channels_failed DROP DEFAULT;

-- A page has room for the results of what is on it: completing a decision changes no index, and so
-- its new row stays on the page.
ALTER TABLE decision SET (fillfactor = 65);

-- State, attributes and content state; and the dispatch machine's state, unless nothing was
-- decided.
ALTER TABLE snapshot ADD COLUMN folded bytea, ADD COLUMN dispatched bytea;
ALTER TABLE snapshot ALTER COLUMN state DROP NOT NULL, ALTER COLUMN attributes DROP NOT NULL,
    ALTER COLUMN content_state DROP NOT NULL, ALTER COLUMN dispatch DROP NOT NULL;
