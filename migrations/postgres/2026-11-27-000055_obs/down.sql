DROP TABLE obs_configs;
