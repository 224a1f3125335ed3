DROP TABLE reward_redemptions;
DROP TABLE rewards;
