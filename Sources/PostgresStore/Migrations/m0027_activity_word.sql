-- Which activities a word leads to. A table rather than a GIN index: an order's words are written
-- once, an index of snapshots would be written with each of its changes.
--
-- Words are never taken away and belong to no generation: they lead to candidates, and the snapshot
-- itself says whether it has them.
CREATE TABLE activity_word (
    tenant integer NOT NULL,
    word text COLLATE "C" NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    CONSTRAINT activity_word_key PRIMARY KEY (tenant, word, activity_id)
);

CREATE FUNCTION note_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO activity_word (tenant, word, activity_id)
    SELECT NEW.tenant, word, NEW.activity_id FROM unnest(string_to_array(NEW.words, ' ')) AS word
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER snapshot_has_words AFTER INSERT ON snapshot
    FOR EACH ROW WHEN (NEW.words <> '') EXECUTE FUNCTION note_words();
CREATE TRIGGER snapshot_has_other_words AFTER UPDATE ON snapshot
    FOR EACH ROW WHEN (NEW.words <> OLD.words) EXECUTE FUNCTION note_words();

SELECT raise_tenant_walls();
