DROP TABLE se_tokens;
