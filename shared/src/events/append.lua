-- KEYS: the channel's stream, the ids it remembers. ARGV: topic, id, message, history, remembered ids, idle seconds.
if redis.call('ZSCORE', KEYS[2], ARGV[2]) then return 0 end
local position = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[4], '*', 'id', ARGV[2], 'm', ARGV[3])
-- The score is the millisecond of the position, to find the entry of an id without a search.
redis.call('ZADD', KEYS[2], string.match(position, '^%d+'), ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -(ARGV[5] + 1))
redis.call('EXPIRE', KEYS[1], ARGV[6])
redis.call('EXPIRE', KEYS[2], ARGV[6])
-- Whoever hears it and reads the log as well needs one order for both.
redis.call('PUBLISH', ARGV[1], '{"position":"' .. position .. '",' .. string.sub(ARGV[3], 2))
return 1
