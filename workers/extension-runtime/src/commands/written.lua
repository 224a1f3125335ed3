-- KEYS: last change of each command that is to be written. ARGV: pairs of a command and its last change before its count
-- was read. Removes the commands that did not change since.
for i = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then
    redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
return redis.status_reply('OK')
