-- Appends a call unless too many wait. KEYS: the list, the call's body. ARGV: id, body, maximum number of
-- waiting calls, milliseconds that the body is kept, command that publishes, channel. Returns 1 when the call was appended.
if redis.call('LLEN', KEYS[1]) >= tonumber(ARGV[3]) then
  return 0
end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[4])
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call(ARGV[5], ARGV[6], ARGV[1])
return 1
