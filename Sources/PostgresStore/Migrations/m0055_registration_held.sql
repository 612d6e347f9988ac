-- Phones that wait because nothing is sent for their app just now.
CREATE INDEX registration_held
    ON registration (tenant, bundle_id, environment, last_failure)
    WHERE retry_at IS NOT NULL AND last_failure IN (
        'no-app', 'no-key', 'key-sealed', 'key-refused', 'clock-wrong', 'tokens-unfit'
    );
