-- Moves of tenants between cells, and where tenants are that have left.

-- One that is under way. `leaving` and `gone` are of the database that it leaves, `arriving` of the
-- other. A tenant that has `gone` is never sent for from here, and one that is `arriving` not yet.
CREATE TABLE tenant_move (
    tenant integer NOT NULL,
    -- The tenant's own name; that of its row tells what is under way.
    name text NOT NULL,
    move text NOT NULL,
    state text NOT NULL,
    -- Where it goes to, or comes from.
    cell text NOT NULL,
    -- Until then nothing is claimed for it any more; when it is fenced, nothing of it is written at
    -- all. Both end by themselves, so that a move that dies keeps nobody waiting for long.
    closed_until timestamptz,
    is_fenced boolean NOT NULL DEFAULT false,
    -- By table, the key of the last row that has arrived; null when all have.
    arrived jsonb NOT NULL DEFAULT '{}',
    began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT tenant_move_key PRIMARY KEY (tenant),
    CONSTRAINT tenant_move_state_is_known CHECK (state IN ('leaving', 'gone', 'arriving')),
    CONSTRAINT tenant_move_fence_has_end CHECK (NOT is_fenced OR closed_until IS NOT NULL)
);

-- Keys of rows that changed since a move began, each with its change.
CREATE TABLE moved_row (
    tenant integer NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    relname name NOT NULL,
    key jsonb NOT NULL,
    CONSTRAINT moved_row_key PRIMARY KEY (tenant, id)
);

-- Rows that must not be in their tables before the tenant is opened here, since nodes would begin
-- to work for it: see moving_tables().
CREATE TABLE staged_row (
    tenant integer NOT NULL,
    relname name NOT NULL,
    key jsonb NOT NULL,
    line text NOT NULL,
    CONSTRAINT staged_row_key PRIMARY KEY (tenant, relname, key)
);

CREATE TABLE departed_tenant (
    tenant integer NOT NULL,
    name text NOT NULL,
    cell text COLLATE "C" NOT NULL,
    left_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT departed_tenant_key PRIMARY KEY (tenant),
    CONSTRAINT departed_tenant_has_cell FOREIGN KEY (cell) REFERENCES cell (name)
);

-- By their hashes, the keys that a tenant had when it left.
CREATE TABLE departed_key (
    tenant integer NOT NULL,
    sha256 bytea NOT NULL,
    CONSTRAINT departed_key_key PRIMARY KEY (sha256),
    CONSTRAINT departed_key_has_tenant FOREIGN KEY (tenant) REFERENCES departed_tenant (tenant)
        ON DELETE CASCADE
);

INSERT INTO tenant_access (relname, access) VALUES
    ('tenant_move', 'none'), ('moved_row', 'none'), ('staged_row', 'none'),
    ('departed_tenant', 'none'), ('departed_key', 'none');
SELECT raise_tenant_walls();
