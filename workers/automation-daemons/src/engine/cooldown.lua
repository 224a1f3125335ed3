-- KEYS: cooldown of the node for everybody, and for one person (optional). ARGV: step, seconds of each (0 for none).
-- Returns 1 when the step may pass. The same step may pass again: a resumed run repeats its claim.
for i = 1, #KEYS do
  local holder = redis.call('GET', KEYS[i])
  if holder and holder ~= ARGV[1] and tonumber(ARGV[1 + i]) > 0 then
    return 0
  end
end
for i = 1, #KEYS do
  if tonumber(ARGV[1 + i]) > 0 then
    redis.call('SET', KEYS[i], ARGV[1], 'NX', 'EX', ARGV[1 + i])
  end
end
return 1
