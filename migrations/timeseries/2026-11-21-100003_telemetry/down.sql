DROP TABLE extension_invocations, extension_logs, extension_errors;
DELETE FROM timeseries_tables WHERE table_name IN ('extension_invocations', 'extension_logs', 'extension_errors');
