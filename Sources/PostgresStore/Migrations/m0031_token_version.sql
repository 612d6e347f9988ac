-- Grows whenever the phone registers again: an answer of APNs to an earlier push says nothing
-- about what the phone wants now.
ALTER TABLE registration
    ADD COLUMN IF NOT EXISTS token_version integer NOT NULL DEFAULT 1;
