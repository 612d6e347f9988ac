-- When a tenant that is gone was opened in the other cell. Until then no cell has it, and its
-- callers are told to wait; from then on they are told where it is.
ALTER TABLE tenant_move ADD COLUMN opened_at timestamptz,
    ADD CONSTRAINT tenant_move_opened_is_gone CHECK (opened_at IS NULL OR state = 'gone');
