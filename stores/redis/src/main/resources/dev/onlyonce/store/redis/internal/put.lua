-- Writes records as they are, over none or one that gives way.
-- KEYS: shard.
-- ARGV: id, whether a field may repeat, number of buckets or '', force, the fields of all
--       items, their records.
-- Returns 1 or 0 for each item.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
-- A record gives way to a larger token, and when it is DONE to itself with a later end.
local function givesWay(old, new)
  local head, token, til = struct.unpack('>BI7I6', old)
  local newHead, newToken, newTil = struct.unpack('>BI7I6', new)
  return token < newToken
    or (token == newToken and head % 8 == 2 and newHead % 8 == 2 and til < newTil)
end

local count = (#ARGV - 4) / 2
local records = redis.call('hmget', KEYS[1], unpack(ARGV, 5, 4 + count))
local tier = lookUp(records, 5, count, tonumber(ARGV[3]), recordAt)
local floor = tonumber(string.sub(found, 18))
local digits, writes, seen = {}, {}, {}
for i = 1, count do
  local field, new = ARGV[4 + i], ARGV[4 + count + i]
  local record = seen[field] or records[i]
  local token = struct.unpack('>I7', new, 2)
  digits[i] = '0'
  if not record or givesWay(record, new) then
    writes[#writes + 1] = field
    writes[#writes + 1] = new
    seen[field] = new
    takeOut(tier, field)
    if token > floor then floor = token end
    digits[i] = '1'
  end
end
if #writes > 0 or ARGV[4] == '1' then
  addChanged(tier, writes, #writes)
  redis.call('hset', KEYS[1], 'q', ARGV[1] .. string.format(' %.0f', floor), unpack(writes))
end
return table.concat(digits)
