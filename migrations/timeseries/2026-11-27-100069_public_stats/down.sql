DROP TABLE slot_marks, game_slots, channel_marks, channel_samples;
DELETE FROM timeseries_tables WHERE table_name IN ('game_slots', 'channel_samples');
