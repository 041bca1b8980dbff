-- Settles claims. See docs/formats/redis.md for the record.
-- KEYS: shard.
-- ARGV: id, force, number of kinds,
--       (head, milliseconds kept, milliseconds not to be claimed, K|F|R for the attempts) of each
--       kind, (field, kind and result, token) of each item; the kind is a number of two bytes.
-- Returns a digit of each item: 2 done, 1 was so already, 0 not held.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
local now = math.floor((t[1] * 1000000 + t[2]) / 1000)
local base = 4 + 4 * ARGV[3]
local byte, sub, char = string.byte, string.sub, string.char
local pack, unpacked = struct.pack, struct.unpack

local count = (#ARGV - base + 1) / 3
local fields = {}
for i = 1, count do fields[i] = ARGV[base + (i - 1) * 3] end
local records = redis.call('hmget', KEYS[1], unpack(fields))

local function ending(ms)
  return math.min(now + ms, 281474976710655)
end

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

local kinds = {}
local function kindOf(text)
  local at = 4 * unpacked('>I2', text)
  local head, notBefore = byte(ARGV[at]), ending(ARGV[at + 2])
  local expires = math.max(ending(ARGV[at + 1]), notBefore)
  local kind = {
    state = head % 8,
    head = head,
    plain = char(head),
    compared = char(head + 16),
    times = pack('>I6I4', expires, span(expires)),
    notBefore = pack('>I6', notBefore),
    attempts = ARGV[at + 3],
  }
  kinds[text] = kind
  return kind
end

local function released(record, head, token, kind)
  local at = 31
  if math.floor(head / 16) % 2 == 1 then at = at + 1 + byte(record, at) end
  local stop = afterNames(record, at)
  local attempt = unpacked('>I2', record, 19)
  if kind.attempts == 'F' then attempt = math.max(attempt - 1, 0) end
  if kind.attempts == 'R' then attempt = 0 end
  return char(head + 3) .. token .. kind.times .. pack('>I2', attempt) .. sub(record, 21, at - 1)
    .. char(byte(record, at) + 4) .. sub(record, at + 1, stop - 1) .. kind.notBefore
    .. sub(record, stop)
end

local function settled(record, head, token, kind, result)
  if kind.state == 2 then
    if math.floor(head / 16) % 2 == 0 then
      return kind.plain .. token .. kind.times .. sub(record, 19, 30) .. result
    end
    return kind.compared .. token .. kind.times .. sub(record, 19, 31 + byte(record, 31)) .. result
  elseif kind.state == 3 then
    return char(head - 1 + kind.head) .. token .. kind.times .. sub(record, 19) .. result
  end
  return released(record, head, token, kind)
end

local digits, writes, seen = {}, {}, {}
for i = 1, count do
  local at = base + (i - 1) * 3
  local field, token = fields[i], ARGV[at + 2]
  local record = seen[field] or records[i]
  local digit = '0'
  if record and sub(record, 2, 8) == token then
    local text, result = ARGV[at + 1], ''
    local kind = kinds[text]
    if not kind then
      local key = sub(text, 1, 2)
      kind = kinds[key] or kindOf(key)
      result = sub(text, 3)
    end
    local head = byte(record)
    if head % 8 == 1 then
      local new = settled(record, head, token, kind, result)
      writes[#writes + 1] = field
      writes[#writes + 1] = new
      seen[field] = new
      digit = '2'
    elseif head % 8 == kind.state then
      digit = '1'
    end
  end
  digits[i] = digit
end

if #writes > 0 or ARGV[2] == '1' then
  -- A first write that needs no memory lets the next one pass at maxmemory.
  redis.call('hdel', KEYS[1], '')
  redis.call('hset', KEYS[1], 'q', found, unpack(writes))
end
return table.concat(digits)
