-- OnlyOnce, from schema 1 to schema 2, MariaDB and MySQL.

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
  result      LONGBLOB,                    -- of a failed key: why
  owner       VARCHAR(128) NOT NULL,
  PRIMARY KEY (scope, k, token, state),
  KEY updated (updated_ms)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;

-- ALTER commits by itself, and MySQL has no ADD COLUMN IF NOT EXISTS: so that it may be run again.
SET @todo = IF(
  (SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE()
    AND table_name = '{meta}' AND column_name = 'history_ms') = 0,
  'ALTER TABLE {meta} ADD COLUMN history_ms BIGINT DEFAULT 0 NOT NULL', 'DO 0');
PREPARE todo FROM @todo;
EXECUTE todo;
DEALLOCATE PREPARE todo;

-- It names the new column, so that it fails where that is missing.
UPDATE {meta} SET version = 2, history_ms = 0 WHERE version = 1;
