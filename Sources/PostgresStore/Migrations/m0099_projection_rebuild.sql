-- A rebuild begins: the first one of projection_rebuild, or one that newer folds begin anew. So it
-- is known who had a tenant's log folded again, or which program did. That it stood still for a
-- while and went on is known too.
CREATE TRIGGER rebuild_begin_is_noted AFTER INSERT OR UPDATE OF generation ON projection_rebuild
    FOR EACH ROW EXECUTE FUNCTION note_act(
        'rebuild.begun', 'generation', 'generation', 'reason', 'fold_versions');

CREATE TRIGGER rebuild_pause_is_noted AFTER UPDATE OF is_paused ON projection_rebuild
    FOR EACH ROW WHEN (NEW.is_paused AND NOT OLD.is_paused)
    EXECUTE FUNCTION note_act('rebuild.paused', 'generation', 'generation', 'reason');

CREATE TRIGGER rebuild_resumption_is_noted AFTER UPDATE OF is_paused ON projection_rebuild
    FOR EACH ROW WHEN (OLD.is_paused AND NOT NEW.is_paused)
    EXECUTE FUNCTION note_act('rebuild.resumed', 'generation', 'generation', 'reason');
