-- Writes records as they are, over none or one that gives way.
-- KEYS: shard. ARGV: id, force, (field, record) of each item. Returns 1 or 0 for each item.
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

local fields = {}
for i = 3, #ARGV, 2 do fields[#fields + 1] = ARGV[i] end
local records = redis.call('hmget', KEYS[1], unpack(fields))
local floor = tonumber(string.sub(found, 18))
local digits, writes, seen = {}, {}, {}
for i = 1, #fields do
  local field, new = fields[i], ARGV[2 + 2 * i]
  local record = seen[field] or records[i]
  local token = struct.unpack('>I7', new, 2)
  digits[i] = '0'
  if not record or givesWay(record, new) then
    writes[#writes + 1] = field
    writes[#writes + 1] = new
    seen[field] = new
    if token > floor then floor = token end
    digits[i] = '1'
  end
end
if #writes > 0 or ARGV[2] == '1' then
  redis.call('hset', KEYS[1], 'q', ARGV[1] .. string.format(' %.0f', floor), unpack(writes))
end
return table.concat(digits)
