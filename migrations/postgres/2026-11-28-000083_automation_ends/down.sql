ALTER TABLE automation_runs DROP COLUMN publish_end_at;
