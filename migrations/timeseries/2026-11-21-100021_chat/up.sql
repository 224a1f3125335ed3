-- The history of one platform among several (specification C B13): without this, looking for rows of a platform that
-- somebody hardly uses reads everything that was said on the others.
CREATE INDEX chat_messages_platform ON chat_messages (account_id, platform, sent_at DESC, id DESC);
