DROP TABLE stream_removals, stream_samples, stream_lines;
DELETE FROM timeseries_tables WHERE table_name IN ('stream_removals', 'stream_samples', 'stream_lines');
DROP TABLE stream_minute_marks;
