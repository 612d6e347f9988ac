-- What was stored before there were due times gets the epoch: the clock looks at it at once and
-- writes down when it really is due. So does whoever stores a snapshot and does not say. Anew as a
-- column, so that the table need not be rewritten; nothing was in it yet.
ALTER TABLE snapshot DROP COLUMN due_at;
ALTER TABLE snapshot ADD COLUMN due_at timestamptz DEFAULT 'epoch';
CREATE INDEX snapshot_due ON snapshot (due_at) WHERE due_at IS NOT NULL;
