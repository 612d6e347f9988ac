-- As before, unless whoever writes the snapshots has noted their words itself: a rebuild writes
-- thousands at a time, nearly all with words that are noted already.
DROP TRIGGER snapshot_has_words ON snapshot;
DROP TRIGGER snapshot_has_other_words ON snapshot;

CREATE TRIGGER snapshot_has_words AFTER INSERT ON snapshot
    FOR EACH ROW WHEN (
        NEW.words <> '' AND current_setting('islet.words_are_noted', true) IS DISTINCT FROM 'yes'
    ) EXECUTE FUNCTION note_words();
CREATE TRIGGER snapshot_has_other_words AFTER UPDATE ON snapshot
    FOR EACH ROW WHEN (
        NEW.words <> OLD.words
        AND current_setting('islet.words_are_noted', true) IS DISTINCT FROM 'yes'
    ) EXECUTE FUNCTION note_words();
