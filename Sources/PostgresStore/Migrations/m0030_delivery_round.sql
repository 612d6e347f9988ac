-- How far the round that settles `round_version` has come: phones up to `round_cursor` have had
-- their push, so that a node that takes over goes on after them.
ALTER TABLE delivery_state
    ADD COLUMN round_version bigint,
    ADD COLUMN round_cursor bigint,
    ADD COLUMN round_accepted integer,
    ADD COLUMN round_failed integer,
    ADD COLUMN round_timestamp bigint,
    ADD CONSTRAINT delivery_state_round_is_whole CHECK (
        (round_version IS NULL) = (round_cursor IS NULL)
        AND (round_version IS NULL) = (round_accepted IS NULL)
        AND (round_version IS NULL) = (round_failed IS NULL)
        AND (round_version IS NULL) = (round_timestamp IS NULL)
    );
