ALTER TABLE se_tokens DROP COLUMN refused_at;
