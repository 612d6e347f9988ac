-- Who acts in this transaction: the API says so, and a command is known by its connection.
CREATE FUNCTION acting() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        nullif(current_setting('islet.actor', true), ''),
        coalesce(nullif(current_setting('application_name'), ''), 'a program without a name')
            || ' as database user ' || session_user)
$$;
