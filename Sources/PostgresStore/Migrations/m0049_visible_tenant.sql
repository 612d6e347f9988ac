-- The tenant whose rows this transaction may see; NULL when it works for no tenant in particular.
CREATE FUNCTION visible_tenant() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT nullif(current_setting('islet.tenant', true), '')::integer
$$;
