-- KEYS: the call's result. ARGV: result, milliseconds it is kept, channel, id.
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('PUBLISH', ARGV[3], ARGV[4])
return redis.status_reply('OK')
