-- policy_bytes: what a tenant's policies take up, so that none has to be read when one is put.

-- A small one counts as 4 KiB, since it is a row, and work for everybody who folds.
ALTER TABLE log_head ADD COLUMN policy_bytes bigint NOT NULL DEFAULT 0;

UPDATE log_head h SET policy_bytes = p.bytes
FROM (
    SELECT tenant, sum(greatest(octet_length(document::text), 4096)) AS bytes
    FROM policy GROUP BY tenant
) p
WHERE p.tenant = h.tenant;

CREATE OR REPLACE FUNCTION put_policy(
    of_tenant integer, of_kind text, expected integer, wanted json,
    OUT version integer, OUT from_position bigint, OUT is_new boolean
) RETURNS SETOF record LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    head bigint;
    newest policy%ROWTYPE;
BEGIN
    SELECT h.position INTO STRICT head FROM log_head h WHERE h.tenant = of_tenant FOR UPDATE;
    SELECT * INTO newest FROM policy p WHERE p.tenant = of_tenant AND p.kind = of_kind
    ORDER BY p.version DESC LIMIT 1;
    IF newest.document::text = wanted::text THEN
        RETURN QUERY SELECT newest.version, newest.from_position, false;
        RETURN;
    END IF;
    IF coalesce(newest.version, 0) <> coalesce(expected, newest.version, 0) THEN
        RETURN;
    END IF;
    RETURN QUERY INSERT INTO policy AS p (tenant, kind, version, from_position, document)
        VALUES (of_tenant, of_kind, coalesce(newest.version, 0) + 1, head + 1, wanted)
        RETURNING p.version, p.from_position, true;
    UPDATE log_head SET policy_epoch = policy_epoch + 1,
        policy_bytes = policy_bytes + greatest(octet_length(wanted::text), 4096)
    WHERE tenant = of_tenant;
END
$$;
