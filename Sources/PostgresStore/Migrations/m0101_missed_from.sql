-- missed_from: what a phone had missed before it registered again.

-- The version that the phone had when a push to it had failed and it registered again before it
-- caught up: its tries begin from the start then, and so does the time that it registered at. Null
-- once it has caught up.
ALTER TABLE registration ADD COLUMN missed_from bigint;
