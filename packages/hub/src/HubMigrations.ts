import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"

const statements = (...all: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(all, (statement) => sql.unsafe(statement, []), { discard: true })
  )

/** The schema of a hub. A released entry is never edited: a change is a new entry (spec: fleet#the-hub). */
const migrations = {
  "0001_fleet": statements(
    `CREATE TABLE hosts (
      name text PRIMARY KEY,
      token_digest text NOT NULL UNIQUE,
      enrolled timestamptz NOT NULL DEFAULT clock_timestamp(),
      revoked timestamptz,
      day date,
      day_bytes bigint NOT NULL DEFAULT 0,
      refused date
    )`,
    // Each beat changes a row. The free space of a page takes its next version, and no index is touched.
    `CREATE TABLE logs (
      log uuid PRIMARY KEY,
      enrolled_host text NOT NULL REFERENCES hosts,
      host text NOT NULL,
      machine text,
      position bigint NOT NULL,
      digest text NOT NULL,
      last_seen timestamptz NOT NULL DEFAULT clock_timestamp(),
      skew_ms bigint NOT NULL DEFAULT 0,
      forked boolean NOT NULL DEFAULT false
    ) WITH (fillfactor = 60)`,
    // The data is text, because the hub keeps the bytes of its hosts. A JSON type would write them in its own way.
    `CREATE TABLE events (
      log uuid NOT NULL REFERENCES logs,
      position bigint NOT NULL,
      stream text NOT NULL,
      revision bigint NOT NULL,
      tag text NOT NULL,
      version bigint NOT NULL,
      at bigint NOT NULL,
      data text NOT NULL,
      arrived timestamptz NOT NULL DEFAULT clock_timestamp(),
      seq bigint GENERATED ALWAYS AS IDENTITY,
      xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      PRIMARY KEY (log, position)
    )`,
    "CREATE INDEX events_by_arrival ON events (xid, seq)"
  ),
  "0002_origin": statements(
    "CREATE TABLE origin (one boolean PRIMARY KEY DEFAULT true CHECK (one), system bigint NOT NULL, epoch bigint NOT NULL)",
    "INSERT INTO origin (system, epoch) SELECT system_identifier, 1 FROM pg_control_system()"
  ),
  "0003_projection": statements(
    // The versions of the rules. Hubs of two versions fold beside each other.
    `CREATE TABLE projections (
      rules text PRIMARY KEY,
      passed timestamptz NOT NULL DEFAULT clock_timestamp()
    )`,
    // How far the events of each log are folded. Each append locks its log, so its order is that of its positions.
    `CREATE TABLE folds (
      rules text NOT NULL REFERENCES projections ON DELETE CASCADE,
      log uuid NOT NULL REFERENCES logs,
      position bigint NOT NULL,
      passed timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (rules, log)
    )`,
    `CREATE TABLE jobs (
      rules text NOT NULL REFERENCES projections ON DELETE CASCADE,
      log uuid NOT NULL REFERENCES logs,
      stream text NOT NULL,
      urgency smallint NOT NULL,
      at bigint NOT NULL,
      shown text NOT NULL,
      folded text NOT NULL,
      PRIMARY KEY (rules, log, stream)
    )`,
    "CREATE INDEX jobs_by_urgency ON jobs (rules, urgency, at DESC)"
  ),
  "0004_alarms": statements(
    "ALTER TABLE jobs ADD COLUMN need text NOT NULL DEFAULT ''",
    "CREATE INDEX jobs_in_need ON jobs (rules) WHERE need <> ''",
    // An alarm is there as long as its cause. `taken`: when a hub last set out to tell it.
    `CREATE TABLE alarms (
      kind text NOT NULL,
      log uuid NOT NULL REFERENCES logs,
      stream text NOT NULL,
      why text NOT NULL,
      begun timestamptz NOT NULL DEFAULT clock_timestamp(),
      taken timestamptz,
      told timestamptz,
      PRIMARY KEY (kind, log, stream)
    )`
  ),
  "0005_listening": statements(
    // Since when hubs have looked for alarms without a gap.
    `CREATE TABLE listening (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      since timestamptz NOT NULL DEFAULT clock_timestamp(),
      looked timestamptz NOT NULL DEFAULT clock_timestamp()
    )`
  ),
  "0006_words": statements(
    "ALTER TABLE logs ADD COLUMN takes_words boolean NOT NULL DEFAULT false",
    `CREATE TABLE people (
      name text PRIMARY KEY,
      role text NOT NULL,
      token_digest text NOT NULL UNIQUE,
      added timestamptz NOT NULL DEFAULT clock_timestamp(),
      revoked timestamptz
    )`,
    // `reason`: of a refusal. A word with an answer and no reason was taken.
    `CREATE TABLE words (
      id uuid PRIMARY KEY,
      log uuid NOT NULL REFERENCES logs,
      stream text NOT NULL,
      word text NOT NULL,
      seen bigint NOT NULL,
      person text NOT NULL REFERENCES people,
      said timestamptz NOT NULL DEFAULT statement_timestamp(),
      until timestamptz NOT NULL,
      answered timestamptz,
      reason text
    )`,
    "CREATE INDEX words_waiting ON words (log, until) WHERE answered IS NULL"
  ),
  // The words by which a search finds a job. Other rules fold all jobs again, and so fill it.
  "0007_search": statements("ALTER TABLE jobs ADD COLUMN sought text NOT NULL DEFAULT ''"),
  // Browsers that were let in by a token. Another token of the same name lets none of them in.
  "0008_browsers": statements(
    `CREATE TABLE browsers (
      digest text PRIMARY KEY,
      token_digest text NOT NULL,
      entered timestamptz NOT NULL DEFAULT clock_timestamp()
    )`
  ),
  // Where the events of a job are in its log, and whether they are gone. An index of streams would slow each append.
  "0009_retention": statements(
    "ALTER TABLE jobs ADD COLUMN first bigint NOT NULL DEFAULT 1",
    "ALTER TABLE jobs ADD COLUMN last bigint NOT NULL DEFAULT 0",
    "ALTER TABLE jobs ADD COLUMN forgotten boolean NOT NULL DEFAULT false"
  ),
  // The rules whose sentence an alarm has. Other rules say the same need in other words.
  "0010_alarm_rules": statements("ALTER TABLE alarms ADD COLUMN rules text NOT NULL DEFAULT ''"),
  "0011_words_of_a_watch": statements(
    // The page of a watch shows the newest words to it.
    "CREATE INDEX words_of_a_watch ON words (log, stream, said)",
    // The act of a person that a taken word still waits for.
    "ALTER TABLE words ADD COLUMN note text"
  ),
  // The last word of the host was a goodbye.
  "0012_goodbye": statements("ALTER TABLE logs ADD COLUMN away boolean NOT NULL DEFAULT false")
}

/**
 * Begins another epoch if the database was restored into another server. The transactions of its events belong to the
 * old server, and may be in the future of this one. All of them are past now. Each log keeps its order by its numbers
 * (spec: fleet#readers).
 */
const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const elsewhere =
    yield* sql`SELECT 1 FROM origin, pg_control_system() WHERE system <> system_identifier FOR UPDATE OF origin`
  if (elsewhere.length === 0) return
  yield* sql`UPDATE events SET xid = '3'`
  yield* sql`UPDATE origin SET system = system_identifier, epoch = epoch + 1 FROM pg_control_system()`
})

/** Brings the database to the schema of this hub, under a lock. Fails with `MigrationError` and `SqlError`. */
export const migrated = Effect.andThen(
  Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: "souffleur_migrations" }),
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(settled))
)
