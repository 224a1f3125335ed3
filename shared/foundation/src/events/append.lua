-- KEYS: stream of the channel, ids that it remembers. ARGV: command that publishes, topic, id, message, history,
-- remembered ids, idle seconds.
if redis.call('ZSCORE', KEYS[2], ARGV[3]) then return 0 end
local position = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[5], '*', 'id', ARGV[3], 'm', ARGV[4])
-- The score is the millisecond of the position, to find the entry of an id without a search.
redis.call('ZADD', KEYS[2], string.match(position, '^%d+'), ARGV[3])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -(ARGV[6] + 1))
redis.call('EXPIRE', KEYS[1], ARGV[7])
redis.call('EXPIRE', KEYS[2], ARGV[7])
-- A reader that listens and also reads the log needs one order for both.
redis.call(ARGV[1], ARGV[2], '{"position":"' .. position .. '",' .. string.sub(ARGV[4], 2))
return 1
