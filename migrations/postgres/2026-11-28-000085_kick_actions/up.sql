-- Redemptions on Kick are not read, so that an action of a reward there never runs (reference/rewards.md#rewards).
UPDATE rewards SET action = '{}' WHERE platform = 'kick' AND action ->> 'type' <> 'none';
