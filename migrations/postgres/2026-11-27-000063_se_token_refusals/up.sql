-- Time since which StreamElements does not accept the token (reference/tips.md#sockets).
ALTER TABLE se_tokens ADD COLUMN refused_at timestamptz;
