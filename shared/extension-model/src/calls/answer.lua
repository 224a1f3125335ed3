-- Stores and announces a call's result. KEYS: the result. ARGV: result, milliseconds that it is kept, command that
-- publishes, channel, id.
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call(ARGV[3], ARGV[4], ARGV[5])
return redis.status_reply('OK')
