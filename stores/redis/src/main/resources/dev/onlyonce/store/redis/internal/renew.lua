-- Renews leases. See docs/formats/redis.md for the record.
-- KEYS: shard.
-- ARGV: id, whether a field may repeat, force, the fields of all items, (token, milliseconds, checkpoint) of each;
--       the checkpoint is '' to be left as it is, else 'c' and its bytes.
-- Returns a digit of each item: 2 done, 0 not held.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
local now = math.floor((t[1] * 1000000 + t[2]) / 1000)
local byte, sub, char = string.byte, string.sub, string.char
local pack, unpacked = struct.pack, struct.unpack

local count = (#ARGV - 3) / 4
local records = redis.call('hmget', KEYS[1], unpack(ARGV, 4, 3 + count))

-- How far a time is from now, in four bytes: milliseconds, or from 2^31 on seconds, or not known.
local function span(til)
  local ms = til - now
  if ms < 2147483648 then return ms end
  return math.min(2147483648 + math.ceil(ms / 1000), 4294967295)
end

-- Returns where what follows the names in the details is.
local function afterNames(record, at)
  at = at + 2 + byte(record, at + 1)
  at = at + 2 + unpacked('>I2', record, at)
  return at + 1 + byte(record, at)
end

-- Returns what stands behind the times, with another checkpoint.
local function saved(record, checkpoint)
  local head, at = byte(record), 31
  if math.floor(head / 16) % 2 == 1 then at = at + 1 + byte(record, at) end
  local has = byte(record, at)
  local stop = afterNames(record, at)
  if math.floor(has / 2) % 2 == 1 then stop = stop + 6 end
  if has % 2 == 0 then has = has + 1 end
  return sub(record, 19, at - 1) .. char(has) .. sub(record, at + 1, stop - 1)
    .. pack('>I4', #checkpoint - 1) .. sub(checkpoint, 2)
end

local digits, writes, seen = {}, {}, {}
for i = 1, count do
  local at = 1 + 3 * i + count
  local field, token, checkpoint = ARGV[3 + i], ARGV[at], ARGV[at + 2]
  local record = seen[field] or records[i]
  digits[i] = '0'
  if record and sub(record, 2, 8) == token and byte(record) % 8 == 1 then
    local til = math.min(now + ARGV[at + 1], 281474976710655)
    local rest = checkpoint == '' and sub(record, 19) or saved(record, checkpoint)
    local new = sub(record, 1, 8) .. pack('>I6I4', til, span(til)) .. rest
    writes[#writes + 1] = field
    writes[#writes + 1] = new
    seen[field] = new
    digits[i] = '2'
  end
end

if #writes > 0 or ARGV[3] == '1' then
  -- A first write that needs no memory lets the next one pass at maxmemory.
  redis.call('hdel', KEYS[1], '')
  redis.call('hset', KEYS[1], 'q', found, unpack(writes))
end
return table.concat(digits)
