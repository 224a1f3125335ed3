-- Beginning of the chain as the checkpoint states it, so that it cannot be moved unnoticed
-- (reference/audit-chain.md#checkpoints). Null: every entry of the account has a link, or the checkpoint does not state it.
ALTER TABLE audit_checkpoints ADD COLUMN began_at timestamptz;
-- Time at which the chain was found to be altered and was not signed. Null: it was not.
ALTER TABLE audit_chains ADD COLUMN refused_at timestamptz;
