-- How a decision is to be carried out, and what its alert is about. Decisions of before have neither.
ALTER TABLE decision
    ADD COLUMN send_after timestamptz,
    ADD COLUMN push_order json,
    ADD COLUMN news json;
