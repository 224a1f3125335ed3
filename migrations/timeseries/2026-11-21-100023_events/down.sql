DROP INDEX events_type, events_id;
