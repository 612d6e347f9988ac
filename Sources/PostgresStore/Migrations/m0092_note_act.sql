-- What arrives was noted, dated and announced where it comes from.
CREATE OR REPLACE FUNCTION note_act() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was jsonb;
    is_now jsonb;
    either jsonb;
BEGIN
    IF current_setting('islet.moving', true) = 'yes' THEN
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN was := to_jsonb(OLD); END IF;
    IF TG_OP <> 'DELETE' THEN is_now := to_jsonb(NEW); END IF;
    IF TG_TABLE_NAME = 'policy' THEN
        SELECT to_jsonb(p) INTO was FROM policy p
        WHERE p.tenant = NEW.tenant AND p.kind = NEW.kind AND p.version = NEW.version - 1;
    END IF;
    either := coalesce(is_now, was);
    INSERT INTO audit_entry (tenant, actor, act, subject, before, after)
    SELECT
        (either ->> CASE TG_TABLE_NAME WHEN 'tenant' THEN 'id' ELSE 'tenant' END)::integer,
        acting(), TG_ARGV[0], either ->> TG_ARGV[1], shown_of(was, TG_ARGV[2:]),
        shown_of(is_now, TG_ARGV[2:]);
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION date_activity_notice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('islet.moving', true) = 'yes' THEN
        RETURN NEW;
    END IF;
    NEW.noticed_at := greatest(
        statement_timestamp(),
        (SELECT max(n.noticed_at) FROM activity_notice n WHERE n.tenant = NEW.tenant));
    RETURN NEW;
END
$$;
