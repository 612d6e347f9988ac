-- Broadcasts that carried a decision, beside the pushes to single phones.
ALTER TABLE decision
    ADD COLUMN channels_accepted integer NOT NULL DEFAULT 0,
    ADD COLUMN channels_failed integer NOT NULL DEFAULT 0;
