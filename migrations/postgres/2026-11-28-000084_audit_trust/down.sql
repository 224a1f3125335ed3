ALTER TABLE audit_chains DROP COLUMN refused_at;
ALTER TABLE audit_checkpoints DROP COLUMN began_at;
