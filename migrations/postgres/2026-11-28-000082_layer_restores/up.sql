-- Time from which the layer that a redemption shows or hides is changed back (reference/rewards.md#layers). Null: it is
-- not, or has been.
ALTER TABLE reward_redemptions ADD COLUMN restore_at timestamptz;
