-- KEYS: the list, the call's body. ARGV: id, body, most that may wait, milliseconds it is kept, channel.
if redis.call('LLEN', KEYS[1]) >= tonumber(ARGV[3]) then
  return 0
end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[4])
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('PUBLISH', ARGV[5], ARGV[1])
return 1
