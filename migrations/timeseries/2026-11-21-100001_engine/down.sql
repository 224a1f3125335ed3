DROP FUNCTION timeseries_create(text, text, text, interval, interval);
DROP FUNCTION timeseries_ahead(text);
DROP FUNCTION timeseries_drop_before(text, timestamptz);
DROP FUNCTION timeseries_ensure(text, timestamptz, timestamptz);
DROP TABLE timeseries_tables;
DROP FUNCTION timeseries_engine();
