-- Counts the next records by state, without those that have expired.
-- KEYS: shard. ARGV: id, cursor, how many.
-- Returns: cursor to go on from, counts of states 0 to 4, how many of them are in the compact tier.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
local now = math.floor((t[1] * 1000000 + t[2]) / 1000)
local page = redis.call('hscan', KEYS[1], ARGV[2], 'count', ARGV[3])
local counts, compact = {0, 0, 0, 0, 0}, 0
local all = page[2]
for i = 1, #all, 2 do
  if #all[i] == 14 then
    local head, token, til = struct.unpack('>BI7I6', all[i + 1])
    local state = head % 8
    if state > 4 then state = 0 end
    if state < 2 or now < til then counts[state + 1] = counts[state + 1] + 1 end
  elseif #all[i] == 4 then
    local bucket = all[i + 1]
    if now < endOfFirst(bucket) then
      compact = compact + entriesIn(bucket)
    else
      for at = firstEntry, #bucket, entrySize do
        local _, til = valuesOf(bucket, at)
        if now < til then compact = compact + 1 end
      end
    end
  end
end
counts[3] = counts[3] + compact
return {page[1], counts, compact}
