DROP TABLE privacy_erasures, user_notes;
