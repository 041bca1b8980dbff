-- OnlyOnce, from schema 1 to schema 2, H2.

CREATE TABLE IF NOT EXISTS {event} (
  scope       VARBINARY(128)  NOT NULL,
  k           VARBINARY(1024) NOT NULL,
  token       BIGINT   NOT NULL,
  state       SMALLINT NOT NULL,
  attempt     INT      NOT NULL,
  lapse       SMALLINT NOT NULL,
  request     BIGINT   NOT NULL,
  stamp       BIGINT   NOT NULL,
  until_ms    BIGINT   NOT NULL,
  expires_ms  BIGINT   NOT NULL,
  created_ms  BIGINT   NOT NULL,
  updated_ms  BIGINT   NOT NULL,
  fingerprint VARBINARY(32),
  result_kind SMALLINT NOT NULL,
  result_type VARBINARY(508),
  result      BLOB    ,                    -- of a failed key: why
  owner       VARCHAR(128) NOT NULL,
  PRIMARY KEY (scope, k, token, state)
);

CREATE INDEX IF NOT EXISTS {event}_updated ON {event} (updated_ms);

ALTER TABLE {meta} ADD COLUMN IF NOT EXISTS history_ms BIGINT DEFAULT 0 NOT NULL;

-- It names the new column, so that it fails where that is missing.
UPDATE {meta} SET version = 2, history_ms = 0 WHERE version = 1;
