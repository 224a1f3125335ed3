DROP TABLE music_alerts;
