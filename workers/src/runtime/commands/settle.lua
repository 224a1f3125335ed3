-- KEYS: commands to write, then the count of each command that was written. ARGV: for each the name in the first key and
-- the count that was written. Takes off what was written, unless it was used again meanwhile.
for i = 2, #KEYS do
  local name, written = ARGV[2 * i - 3], ARGV[2 * i - 2]
  local count = redis.call('GET', KEYS[i])
  if not count or count == written then
    redis.call('SREM', KEYS[1], name)
  end
end
