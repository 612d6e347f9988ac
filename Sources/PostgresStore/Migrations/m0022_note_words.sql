-- Keeps activity_word in step with the words of snapshots.
--
-- A rebuild writes thousands of snapshots, nearly all with known words. It notes new words itself
-- and sets islet.words_are_noted, so the triggers do nothing. Nearly every event changes a snapshot
-- and hardly any changes its words, so the second trigger only fires for statements that set the
-- words.
CREATE FUNCTION note_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO activity_word (tenant, word, activity_id)
    SELECT NEW.tenant, word, NEW.activity_id FROM unnest(string_to_array(NEW.words, ' ')) AS word
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER snapshot_has_words AFTER INSERT ON snapshot
    FOR EACH ROW WHEN (
        NEW.words <> '' AND current_setting('islet.words_are_noted', true) IS DISTINCT FROM 'yes'
    ) EXECUTE FUNCTION note_words();

CREATE TRIGGER snapshot_has_other_words AFTER UPDATE OF words ON snapshot
    FOR EACH ROW WHEN (
        NEW.words <> OLD.words
        AND current_setting('islet.words_are_noted', true) IS DISTINCT FROM 'yes'
    ) EXECUTE FUNCTION note_words();
