-- By kind, the folds that a rebuild is made with. A newer program begins anew what an older one has
-- begun, and an older one leaves a newer one's alone: two folds never meet in one generation.
ALTER TABLE projection_rebuild ADD COLUMN fold_versions jsonb NOT NULL DEFAULT '{}';
