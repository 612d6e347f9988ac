-- Texts as PackedTexts keeps them when they are not packed. It gives readers the columns of rows
-- that were written before there were packed ones.
CREATE FUNCTION plain_texts(texts text[]) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT '\x00'::bytea || string_agg(
        convert_to(coalesce(t.text, ''), 'UTF8'), '\x00'::bytea ORDER BY t.place)
    FROM unnest(texts) WITH ORDINALITY AS t (text, place)
$$;
