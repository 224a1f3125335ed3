DROP TABLE extension_failed_runs;
DELETE FROM timeseries_tables WHERE table_name = 'extension_failed_runs';
