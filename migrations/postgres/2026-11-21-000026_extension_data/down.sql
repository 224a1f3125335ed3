DROP TABLE extension_uninstalls;
DROP TABLE extension_usage;
DROP TABLE extension_values;
DROP TABLE extension_rows;
DROP TABLE extension_storage;
