-- As before, unless the statement leaves the words as they are: nearly each event changes a
-- snapshot, hardly any its words, and the condition alone took Postgres as long as writing the row.
DROP TRIGGER snapshot_has_other_words ON snapshot;

CREATE TRIGGER snapshot_has_other_words AFTER UPDATE OF words ON snapshot
    FOR EACH ROW WHEN (
        NEW.words <> OLD.words
        AND current_setting('islet.words_are_noted', true) IS DISTINCT FROM 'yes'
    ) EXECUTE FUNCTION note_words();
