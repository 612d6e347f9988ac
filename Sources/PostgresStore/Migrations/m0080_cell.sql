-- Cells: databases with nodes of their own, of which each tenant belongs to one. A cell that was
-- given a number makes ids of tenants and keys that no other cell makes, so that a tenant can move
-- with its ids.
CREATE TABLE cell (
    name text COLLATE "C" NOT NULL,
    -- Of this database alone; see number_cell().
    number integer,
    -- Where this cell's API is reached; NULL when callers are only given its name.
    url text,
    is_here boolean NOT NULL DEFAULT false,
    CONSTRAINT cell_key PRIMARY KEY (name),
    -- `t1` begins tickets.
    CONSTRAINT cell_name_is_short CHECK (name ~ '^[a-z][a-z0-9]{0,15}$' AND name !~ '^t[0-9]+$'),
    CONSTRAINT cell_number_is_small CHECK (number BETWEEN 1 AND 64),
    CONSTRAINT cell_number_is_of_this CHECK (is_here OR number IS NULL),
    CONSTRAINT cell_url_has_length CHECK (octet_length(url) BETWEEN 1 AND 500)
);

CREATE UNIQUE INDEX cell_here_is_one ON cell (is_here) WHERE is_here;
