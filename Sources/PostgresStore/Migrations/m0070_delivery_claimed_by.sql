-- Which node has claimed an activity and not settled it, and whose unfinished round the claim took
-- over. Names for people: what keeps an old owner from writing is `last_timestamp`.
ALTER TABLE delivery_state
    ADD COLUMN claimed_by text,
    ADD COLUMN taken_from text;
