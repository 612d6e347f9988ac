-- The last aps.timestamp that was used for each activity, and how far its round of pushes has come.
-- The timestamp only grows, which keeps phones from going backwards. It is also the number of the
-- claim that may still write.
CREATE TABLE delivery_state (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    last_timestamp bigint NOT NULL,
    -- The round that settles `round_version`: phones up to `round_cursor` have had their push. A
    -- node that takes over goes on after them.
    round_version bigint,
    round_cursor bigint,
    round_accepted integer,
    round_failed integer,
    -- NULL as long as an earlier push covered every phone that the round has come to.
    round_timestamp bigint,
    -- The node that has claimed the activity and not settled it, and the node whose unfinished
    -- round it took over. The names are for people: `last_timestamp` keeps an old owner from
    -- writing.
    claimed_by text,
    taken_from text,
    CONSTRAINT delivery_state_key PRIMARY KEY (tenant, activity_id),
    CONSTRAINT delivery_state_round_is_whole CHECK (
        (round_version IS NULL) = (round_cursor IS NULL)
        AND (round_version IS NULL) = (round_accepted IS NULL)
        AND (round_version IS NULL) = (round_failed IS NULL)
        AND (round_version IS NOT NULL OR round_timestamp IS NULL)
    )
) WITH (fillfactor = 70);
