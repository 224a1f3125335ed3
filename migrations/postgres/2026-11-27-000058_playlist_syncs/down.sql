DROP TABLE playlist_sync_songs;
ALTER TABLE listed_songs DROP CONSTRAINT listed_songs_account_id_id_key;
DROP TABLE playlist_syncs;
