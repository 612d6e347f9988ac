-- The alerts of a stretch of the log, to be counted.
CREATE INDEX decision_alert ON decision (tenant, position) WHERE alert IS NOT NULL;
