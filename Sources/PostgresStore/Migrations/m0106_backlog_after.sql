-- backlog_after: where a webhook was when it last had nothing left.

-- Changes come to a webhook a page at a time, and an activity with its newest change. What a page
-- passes over of an activity, as it has changed again, is looked for from here on: not after the
-- place, which has gone on. NULL when there is no backlog.
ALTER TABLE webhook ADD COLUMN backlog_after bigint;
