-- A registration becomes a card with a life: what the app says of itself, and how it was closed.
ALTER TABLE registration
    ADD COLUMN installation text COLLATE "C",
    ADD COLUMN locale text,
    ADD COLUMN frequent boolean NOT NULL DEFAULT false,
    ADD COLUMN app_build text,
    ADD COLUMN os_major smallint,
    -- The card's last word about itself.
    ADD COLUMN reported text,
    ADD COLUMN reported_at timestamptz,
    ADD COLUMN closed_at timestamptz,
    ADD COLUMN closed_by text,
    ADD CONSTRAINT registration_closed_has_reason
        CHECK ((closed_at IS NULL) = (closed_by IS NULL)),
    ADD CONSTRAINT registration_closed_is_owed_nothing
        CHECK (closed_at IS NULL OR retry_at IS NULL);

DROP INDEX registration_living;
-- The pages of a fan-out.
CREATE INDEX registration_living ON registration (tenant, activity_id, id)
    WHERE dead_at IS NULL AND closed_at IS NULL;

CREATE INDEX registration_by_installation ON registration (tenant, activity_id, installation)
    WHERE installation IS NOT NULL;

-- No phone is served twice.
CREATE UNIQUE INDEX registration_installation_has_one_card
    ON registration (tenant, activity_id, installation)
    WHERE installation IS NOT NULL AND closed_at IS NULL;
