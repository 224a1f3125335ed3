-- Takes over entries whose lease has expired: their worker died, hung or lost its connection.
--
-- KEYS: stream.
-- ARGV: group, consumer, lease in milliseconds, entry id to start at ('-' = the first), highest number of
--       entries to take, highest number of entries to check, highest number of losses of a job, losses that
--       make a job a suspect, suspects that may be taken now, then the ids of entries the consumer is working
--       on.
-- Returns the entry id to continue at ('-' = all checked), the number of suspects left behind, and for each
-- entry taken its id, the number of deliveries that were lost, and its fields.
--
-- XAUTOCLAIM cannot do this: it takes any idle entry. A job that kills its process must not be taken together
-- with the others that were killed beside it, or they would all reach the limit with it. So a job that was
-- lost repeatedly is a suspect, and a worker runs one suspect at a time.
local group, consumer, lease, start = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local limit, page, max_lost = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local suspect_after, suspects = tonumber(ARGV[8]), tonumber(ARGV[9])

-- Entries of this consumer that are merely renewed late. Its other entries are replies that never reached it.
local working = {}
for i = 10, #ARGV do working[ARGV[i]] = true end

local taken, left_behind = {}, 0
local pending = redis.call('XPENDING', KEYS[1], group, 'IDLE', lease, start, '+', page)
for _, row in ipairs(pending) do
  local id, lost = row[1], row[4]
  if #taken >= limit then return { id, left_behind, taken } end
  local take = not working[id]
  -- Beyond the limit the job will be buried and not run, so it need not wait for its turn.
  if take and lost <= max_lost and lost >= suspect_after then
    if suspects > 0 then
      suspects = suspects - 1
    else
      take = false
      left_behind = left_behind + 1
    end
  end
  if take then
    -- XCLAIM returns nothing for an entry that was deleted from the stream. Redis then drops it from the
    -- list.
    local claimed = redis.call('XCLAIM', KEYS[1], group, consumer, lease, id)
    if claimed[1] then taken[#taken + 1] = { id, lost, claimed[1][2] } end
  end
end
if #pending == page then return { '(' .. pending[page][1], left_behind, taken } end
return { '-', left_behind, taken }
