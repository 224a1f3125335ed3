DROP TABLE predictions;
DROP TABLE polls;
DROP TABLE moderation_log;
