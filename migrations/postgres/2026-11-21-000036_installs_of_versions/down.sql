DROP INDEX extension_installs_untold;
DROP INDEX extension_installs_version;
