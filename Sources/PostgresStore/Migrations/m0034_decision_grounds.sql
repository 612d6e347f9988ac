-- By what a decision was made: the tenant's policy (0: none of its own) and the program's rules.
-- Those of other rules are not recomputed, since they would come out otherwise.
ALTER TABLE decision
    ADD COLUMN policy_version integer NOT NULL DEFAULT 0,
    ADD COLUMN rules_version integer NOT NULL DEFAULT 1;
