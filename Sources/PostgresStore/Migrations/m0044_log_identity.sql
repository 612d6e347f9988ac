-- Which log this is, and which database it stands in. A copy of the database has the row of the
-- original and is another database. Nothing is sent from a copy until an operator has accepted it
-- as the log.
CREATE TABLE log_identity (
    is_only boolean NOT NULL DEFAULT true,
    -- 1 at first. After a restore it is the Unix second of its acceptance: two restores of the same
    -- backup are two logs.
    epoch bigint NOT NULL DEFAULT 1,
    began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    marker text NOT NULL,
    timeline bigint NOT NULL,
    -- The last sign of life of a node. It only grows, so a node that has seen a later one knows
    -- that the log was set back.
    beat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    held_since timestamptz,
    held_why text,
    CONSTRAINT log_identity_key PRIMARY KEY (is_only),
    CONSTRAINT log_identity_is_one CHECK (is_only),
    CONSTRAINT log_identity_hold_is_whole CHECK ((held_since IS NULL) = (held_why IS NULL)),
    CONSTRAINT log_identity_hold_is_known CHECK (held_why IN ('asked', 'set-back'))
) WITH (fillfactor = 20);

INSERT INTO log_identity (marker, timeline)
SELECT database_marker(), coalesce(database_timeline(), 0);
