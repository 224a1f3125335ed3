ALTER TABLE account_settings DROP CONSTRAINT account_settings_default_overlay;
DROP TABLE widget_access;
DROP TABLE widgets;
DROP TABLE overlay_access;
DROP TABLE overlay_shares;
DROP TABLE overlay_layers;
DROP TABLE overlays;
