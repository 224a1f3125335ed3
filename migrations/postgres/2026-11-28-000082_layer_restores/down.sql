ALTER TABLE reward_redemptions DROP COLUMN restore_at;
