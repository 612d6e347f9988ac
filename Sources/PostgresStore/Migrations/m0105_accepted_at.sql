-- accepted_at: when APNs accepted what a phone was sent by a push of its own.

-- When `sent_version` became what it is because a push was accepted: one that was tried again, or
-- the first to a phone that registered after the fan-out. Of what a fan-out brought to a phone that
-- was owed nothing, the ledger knows the time.
ALTER TABLE registration ADD COLUMN accepted_at timestamptz;
