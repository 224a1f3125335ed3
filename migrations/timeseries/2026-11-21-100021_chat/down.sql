DROP INDEX chat_messages_platform;
