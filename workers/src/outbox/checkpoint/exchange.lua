-- Gives the checkpoint a number in place of the one that was read.
--
-- KEYS: the number's key.
-- ARGV: the number that was read, empty where there was none, and the new one.
-- Returns 1, or 0 when the number is another one by now: then nothing has happened.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
