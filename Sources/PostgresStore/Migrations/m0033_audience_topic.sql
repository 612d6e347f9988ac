-- The open audiences of a topic, for phones that start to follow it later.
CREATE TABLE audience_topic (
    tenant integer NOT NULL,
    topic text COLLATE "C" NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    CONSTRAINT audience_topic_key PRIMARY KEY (tenant, topic, activity_id),
    CONSTRAINT audience_topic_has_audience FOREIGN KEY (tenant, activity_id)
        REFERENCES activity_audience (tenant, activity_id)
);

CREATE INDEX audience_topic_by_activity ON audience_topic (tenant, activity_id);
