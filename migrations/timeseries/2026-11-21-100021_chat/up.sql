-- History of one platform among several (reference/chat.md#messages). Without this index, a query for rows of
-- a rarely used platform reads all messages of the others.
CREATE INDEX chat_messages_platform ON chat_messages (account_id, platform, sent_at DESC, id DESC);
