DROP TABLE sounds;
DROP TABLE uploads;
ALTER TABLE plans
    DROP COLUMN max_sound_storage_bytes,
    DROP COLUMN max_sound_file_size,
    DROP COLUMN max_sounds;
