-- Renews leases.
--
-- KEYS: stream. ARGV: group, consumer, then entry ids.
-- Returns the ids that the consumer no longer owns.
--
-- The owner is checked because XCLAIM takes an entry from any owner. Without the check, a worker that was
-- slow to renew would steal its job back from the worker that has already taken it over. JUSTID keeps the
-- delivery count, which counts lost deliveries only.
local group, consumer, lost = ARGV[1], ARGV[2], {}
for i = 3, #ARGV do
  if #redis.call('XPENDING', KEYS[1], group, ARGV[i], ARGV[i], 1, consumer) == 1 then
    redis.call('XCLAIM', KEYS[1], group, consumer, 0, ARGV[i], 'JUSTID')
  else
    lost[#lost + 1] = ARGV[i]
  end
end
return lost
