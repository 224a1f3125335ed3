-- Writers of the messages of a batch: recorded in the statement that stores the messages, and counted in
-- platform_users a moment later. One row per batch, so that a batch is stored as fast as without.
CREATE TABLE chatter_notes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_ids uuid[] NOT NULL,
    platforms text[] NOT NULL,
    platform_user_ids text[] NOT NULL,
    usernames text[] NOT NULL,
    display_names text[] NOT NULL,
    sent_ats timestamptz[] NOT NULL
);
-- Rows live for a second, so compressing them is useless.
ALTER TABLE chatter_notes
    ALTER COLUMN account_ids SET STORAGE EXTERNAL,
    ALTER COLUMN platforms SET STORAGE EXTERNAL,
    ALTER COLUMN platform_user_ids SET STORAGE EXTERNAL,
    ALTER COLUMN usernames SET STORAGE EXTERNAL,
    ALTER COLUMN display_names SET STORAGE EXTERNAL,
    ALTER COLUMN sent_ats SET STORAGE EXTERNAL;
