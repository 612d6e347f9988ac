-- A round has no timestamp while all phones that it has come to had been told ahead of it. Not
-- checked against the rows that are there, which kept the stricter rule.
ALTER TABLE delivery_state
    DROP CONSTRAINT delivery_state_round_is_whole,
    ADD CONSTRAINT delivery_state_round_is_whole CHECK (
        (round_version IS NULL) = (round_cursor IS NULL)
        AND (round_version IS NULL) = (round_accepted IS NULL)
        AND (round_version IS NULL) = (round_failed IS NULL)
        AND (round_version IS NOT NULL OR round_timestamp IS NULL)
    ) NOT VALID;
