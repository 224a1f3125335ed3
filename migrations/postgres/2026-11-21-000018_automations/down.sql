DROP TABLE automation_runs;
DROP TABLE automation_trigger_registrations;
DROP TABLE automations;
