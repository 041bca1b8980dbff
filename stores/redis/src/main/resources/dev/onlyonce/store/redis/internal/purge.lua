-- Forgets settled records that have expired; claimed and unknown ones stay.
-- KEYS: shard. ARGV: id, grace in milliseconds, cursor, how many to look at, how many to forget.
-- Returns: cursor to go on from, looked at, forgotten.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
local now = math.floor((t[1] * 1000000 + t[2]) / 1000)
local floor, grace, limit = tonumber(string.sub(found, 18)), tonumber(ARGV[2]), tonumber(ARGV[5])
local page = redis.call('hscan', KEYS[1], ARGV[3], 'count', ARGV[4])
local all, gone, cursor = page[2], {}, page[1]
for i = 1, #all, 2 do
  if #all[i] == 14 then
    local head, token, til = struct.unpack('>BI7I6', all[i + 1])
    local state = head % 8
    if state >= 2 and state <= 4 and now >= til + grace then
      if #gone == limit then
        cursor = ARGV[3]
        break
      end
      gone[#gone + 1] = all[i]
      if token > floor then floor = token end
    end
  end
end
for from = 1, #gone, 5000 do
  redis.call('hdel', KEYS[1], unpack(gone, from, math.min(from + 4999, #gone)))
end
if #gone > 0 then
  redis.call('hset', KEYS[1], 'q', ARGV[1] .. string.format(' %.0f', floor))
end
return {cursor, #all / 2, #gone}
