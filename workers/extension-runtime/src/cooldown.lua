-- KEYS: cooldown of the command for everybody, and for this chatter. ARGV: event, seconds of each (0 for none).
-- Returns 1 when the event may use the command.
for i = 1, 2 do
  local holder = redis.call('GET', KEYS[i])
  if holder and holder ~= ARGV[1] and tonumber(ARGV[1 + i]) > 0 then
    return 0
  end
end
for i = 1, 2 do
  if tonumber(ARGV[1 + i]) > 0 then
    redis.call('SET', KEYS[i], ARGV[1], 'NX', 'EX', ARGV[1 + i])
  end
end
return 1
