-- Times until which redemptions show or hide a layer (reference/rewards.md#layers). Null: none does.
ALTER TABLE overlay_layers ADD COLUMN shown_until timestamptz, ADD COLUMN hidden_until timestamptz;
ALTER TABLE reward_redemptions DROP COLUMN restore_at;
