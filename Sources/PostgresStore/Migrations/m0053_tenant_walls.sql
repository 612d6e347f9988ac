-- The walls of all tables above. A migration after this one that adds a table calls it again.
SELECT raise_tenant_walls();
