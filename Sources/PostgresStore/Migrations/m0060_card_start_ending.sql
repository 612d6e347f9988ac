-- A start that has come to its end is due once more while the card that it took the place of is
-- still to be ended.
ALTER TABLE card_start
    DROP CONSTRAINT card_start_final_is_not_due,
    ADD CONSTRAINT card_start_final_is_not_due CHECK (
        CASE WHEN state IN ('waiting', 'held', 'trying') THEN due_at IS NOT NULL
            ELSE due_at IS NULL OR ends_registration IS NOT NULL
        END
    );
