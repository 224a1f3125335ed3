DROP TABLE events, chat_messages;
DELETE FROM timeseries_tables WHERE table_name IN ('events', 'chat_messages');
