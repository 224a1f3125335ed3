DROP TABLE connection_readers;
DROP TABLE connection_events;
DROP TABLE platform_quotas;
DROP TABLE youtube_broadcasts;
