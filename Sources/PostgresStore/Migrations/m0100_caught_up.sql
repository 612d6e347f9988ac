-- caught_up: what phones missed when a push failed, and got by a later one.

-- The version that the phone had before it caught up last, and the one that it was sent then: what
-- lies between came late. Null if no push to it ever failed, or none came after that.
ALTER TABLE registration
    ADD COLUMN caught_up_from bigint,
    ADD COLUMN caught_up_to bigint;

-- Of an activity. That a card is replaced says that another one has its place, and this with it.
CREATE INDEX registration_caught_up ON registration (tenant, activity_id, caught_up_from)
    WHERE caught_up_from IS NOT NULL AND closed_by IS DISTINCT FROM 'replaced';

-- Whose last push failed says nothing of cards that are gone.
DROP INDEX registration_behind;
