-- The folded state of each activity. The columns are json, not jsonb: equal states must stay equal
-- bytes.
--
-- A tenant's snapshots have generations. One is live. Another may be built beside it from the whole
-- log and then replaces it in one step.
CREATE TABLE snapshot (
    tenant integer NOT NULL,
    generation integer NOT NULL DEFAULT 1,
    activity_id text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    version bigint NOT NULL,
    position bigint NOT NULL,
    -- Which fold wrote the snapshot.
    fold_version integer NOT NULL DEFAULT 1,
    phase text NOT NULL,
    state json NOT NULL,
    attributes json NOT NULL,
    content_state json NOT NULL,
    dispatch json NOT NULL,
    fault text,
    updated_at timestamptz NOT NULL,
    -- When the clock brings about the activity's next event. The default makes the clock look at
    -- once; it then writes the real time.
    due_at timestamptz DEFAULT 'epoch',
    -- What activities of any kind are found and counted by.
    promised_at timestamptz,
    expected_at timestamptz,
    actual_at timestamptz,
    starts_at timestamptz,
    competition text COLLATE "C",
    words text COLLATE "C" NOT NULL DEFAULT '',
    CONSTRAINT snapshot_key PRIMARY KEY (tenant, generation, activity_id)
);

-- What changed since a position. The generation comes last: with an index that starts like the
-- primary key, a planner without statistics of a new generation might choose this one, and be very
-- slow.
CREATE INDEX snapshot_by_position ON snapshot (tenant, position, generation);

CREATE INDEX snapshot_due ON snapshot (due_at) WHERE due_at IS NOT NULL;

-- Most activities have ended, and most questions are about the others. Partial indexes stay small.
CREATE INDEX snapshot_open ON snapshot (tenant, generation, activity_id)
    WHERE phase <> 'ended';
CREATE INDEX snapshot_done_late ON snapshot (tenant, generation, activity_id)
    WHERE phase = 'ended' AND actual_at > promised_at;
CREATE INDEX snapshot_faulted ON snapshot (tenant, generation, activity_id)
    WHERE fault IS NOT NULL;

-- The next matches of one competition, and of all, in the order of the board.
CREATE INDEX snapshot_scoreboard
    ON snapshot (tenant, generation, competition, starts_at, activity_id)
    WHERE phase = 'live' AND competition IS NOT NULL;
CREATE INDEX snapshot_scoreboard_of_all ON snapshot (tenant, generation, starts_at, activity_id)
    WHERE phase = 'live' AND competition IS NOT NULL;
