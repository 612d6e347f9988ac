-- What is counted for an answer, so that the count can end at its bound.

-- Cards of an activity that were not served any more at some time: closed, or their token dead.
CREATE INDEX registration_unserved
    ON registration (tenant, activity_id, least(closed_at, dead_at))
    WHERE closed_at IS NOT NULL OR dead_at IS NOT NULL;

-- Phones of an activity that wait because nothing is sent for their app.
CREATE INDEX registration_held_of_activity
    ON registration (tenant, activity_id, bundle_id, environment, last_failure)
    WHERE retry_at IS NOT NULL AND last_failure IN (
        'no-app', 'no-key', 'key-sealed', 'key-refused', 'clock-wrong', 'tokens-unfit'
    );

-- First starts of an activity by what became of them, those to be looked at next before others.
CREATE INDEX card_start_of_state ON card_start (tenant, activity_id, state, due_at)
    WHERE lap = 0;

CREATE INDEX webhook_message_given_up_of_webhook ON webhook_message (tenant, webhook_id)
    WHERE given_up_at IS NOT NULL;
