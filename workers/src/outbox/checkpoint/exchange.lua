-- Replaces the number of the checkpoint if it is still the one that was read.
--
-- KEYS: key of the number.
-- ARGV: number that was read (empty for none), new number.
-- Returns 1, or 0 without effect when the number has changed since.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
