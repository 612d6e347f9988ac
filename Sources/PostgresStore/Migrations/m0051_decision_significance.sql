-- What the policy held the change to be worth, whatever was decided then. Decisions of before have
-- none.
ALTER TABLE decision ADD COLUMN significance text;
