-- Chosen anew by each append of an appender. One that was sent before the last one was answered
-- names its tag, and so comes to nothing when the last one did.
ALTER TABLE log_head ADD COLUMN tag bigint NOT NULL DEFAULT 0;
