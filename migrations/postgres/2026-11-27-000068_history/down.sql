DROP INDEX channel_statuses_online;
DROP TABLE stream_shared_links;
DROP TABLE stream_floors;
DROP TABLE stream_changes;
DROP TABLE stream_broadcasts;
DROP TABLE stream_sessions;
DROP TABLE stream_transitions;
