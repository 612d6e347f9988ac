-- channel_wanted: whose channels are to be made, by when they are due.

-- Tenants take turns, so that one tenant's many keep nobody else's waiting.
CREATE INDEX channel_wanted ON channel (tenant, retry_at, id) WHERE state = 'wanted';

-- Phones of an app that listen, and those that did before with a push token: they are counted, and
-- an activity may have any number of others.
CREATE INDEX channel_listener_of_app
    ON channel_listener (tenant, activity_id, bundle_id, environment) WHERE closed_at IS NULL;
CREATE INDEX registration_moved ON registration (tenant, activity_id, bundle_id, environment)
    WHERE closed_by = 'broadcast';
