-- Claims keys. See docs/formats/redis.md for the record.
-- KEYS: shard.
-- ARGV: id, tolerance, force, number of kinds, (head, milliseconds) of each kind,
--       (field, kind and expected token, body) of each item; the kind is a number of two bytes,
--       the token, if there is one, decimal digits.
-- Returns: microseconds, token, a letter of each item, the record found of each item not 'C'.
--   C there was none and it was made, W one was there and was replaced, K it was left as it is.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
local us = t[1] * 1000000 + t[2]
local now = math.floor(us / 1000)
local token = tonumber(string.sub(found, 18)) + 1
if us > token then token = us end
local tolerance = tonumber(ARGV[2])
local base = 5 + 2 * ARGV[4]
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

-- The beginning of a new record, by kind.
local beginnings = {}
local function beginning(kind)
  local at = 3 + 2 * unpacked('>I2', kind)
  local til = ending(ARGV[at + 1])
  local made = ARGV[at] .. pack('>I7I6I4', token, til, span(til))
  beginnings[kind] = made
  return made
end

-- Returns where what follows the names in the details is.
local function afterNames(record, at)
  at = at + 2 + byte(record, at + 1)
  at = at + 2 + unpacked('>I2', record, at)
  return at + 1 + byte(record, at)
end

-- Returns fingerprint with length, creation time, checkpoint with length.
local function kept(record, head, oldToken)
  local at, fingerprint, created, checkpoint = 31, '', nil, ''
  local state = head % 8
  if state < 1 or state > 4 then return '', pack('>I6', now), '' end
  if math.floor(head / 16) % 2 == 1 then
    fingerprint = sub(record, at, at + byte(record, at))
    at = at + #fingerprint
  end
  if head >= 128 then
    local has = byte(record, at)
    at = afterNames(record, at)
    if has >= 4 then at = at + 6 end
    if math.floor(has / 2) % 2 == 1 then
      created = sub(record, at, at + 5)
      at = at + 6
    end
    if has % 2 == 1 then
      checkpoint = sub(record, at, at + 3 + unpacked('>I4', record, at))
    end
  end
  return fingerprint, created or pack('>I6', math.floor(oldToken / 1000)), checkpoint
end

-- Returns the record of a claim on one that is there and has not expired.
local function granted(record, oldHead, oldToken, kind, body)
  local at = 3 + 2 * kind
  local head = byte(ARGV[at])
  local fingerprint, created, checkpoint = kept(record, oldHead, oldToken)
  local rest = 13
  if math.floor(head / 16) % 2 == 1 then
    rest = 14 + byte(body, 13)
    fingerprint = sub(body, 13, rest - 1)
  elseif fingerprint ~= '' then
    head = head + 16
  end
  local tail = sub(body, rest)
  if head >= 128 then
    local has = checkpoint == '' and 2 or 3
    tail = char(has) .. sub(tail, 2) .. created .. checkpoint
  end
  local til = ending(ARGV[at + 1])
  local attempt = math.min(unpacked('>I2', record, 19) + 1, 65535)
  return char(head)
    .. pack('>I7I6I4I2', math.max(token, oldToken + 1), til, span(til), attempt)
    .. sub(body, 3, 12) .. fingerprint .. tail
end

-- Tells whether a record that has not expired is granted.
local function isFree(record, head, oldToken, til, kind, expected, body)
  if expected ~= '' and oldToken == tonumber(expected) then return true end
  local state = head % 8
  local wanted = byte(ARGV[3 + 2 * kind])
  if state == wanted % 8 and sub(record, 23, 30) == sub(body, 5, 12) then return false end
  if expected ~= '' or (state ~= 1 and state ~= 4) then return false end
  if math.floor(head / 16) % 2 == 1 and math.floor(wanted / 16) % 2 == 1 then
    local length = byte(record, 31)
    if sub(record, 31, 31 + length) ~= sub(body, 13, 13 + byte(body, 13)) then return false end
  end
  if state == 1 then
    return math.floor(head / 8) % 2 == 0 and now >= til + tolerance
  end
  local at = 31
  if math.floor(head / 16) % 2 == 1 then at = at + 1 + byte(record, at) end
  return now >= unpacked('>I6', record, afterNames(record, at))
end

local letters, others, writes, seen = {}, {}, {}, {}
local largest = token
local function write(field, record)
  writes[#writes + 1] = field
  writes[#writes + 1] = record
  seen[field] = record
end

for i = 1, count do
  local at = base + (i - 1) * 3
  local field, kind, body = fields[i], ARGV[at + 1], ARGV[at + 2]
  local record = seen[field] or records[i]
  if not record then
    write(field, (beginnings[kind] or beginning(kind)) .. body)
    letters[i] = 'C'
  else
    local head, oldToken, til = unpacked('>BI7I6', record)
    local state, number = head % 8, unpacked('>I2', kind)
    local new = nil
    if state >= 2 and state <= 4 and now >= til then
      local from = 3 + 2 * number
      local stop = ending(ARGV[from + 1])
      new = ARGV[from]
        .. pack('>I7I6I4', math.max(token, oldToken + 1), stop, span(stop)) .. body
    elseif isFree(record, head, oldToken, til, number, sub(kind, 3), body) then
      new = granted(record, head, oldToken, number, body)
    end
    if new then
      write(field, new)
      if oldToken >= largest then largest = oldToken + 1 end
    end
    letters[i] = new and 'W' or 'K'
    others[#others + 1] = record
  end
end

if #writes > 0 or ARGV[3] == '1' then
  redis.call('hset', KEYS[1], 'q', ARGV[1] .. string.format(' %.0f', largest), unpack(writes))
end
return {us, token, table.concat(letters), others}
