ALTER TABLE reward_redemptions ADD COLUMN restore_at timestamptz;
ALTER TABLE overlay_layers DROP COLUMN shown_until, DROP COLUMN hidden_until;
