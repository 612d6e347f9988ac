-- Changes that phones are not shown because no push has room for the state; hardly any.
CREATE INDEX decision_too_large ON decision (tenant, activity_id, version)
    WHERE rule = 'too-large';
