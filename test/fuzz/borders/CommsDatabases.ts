import { CommsErrand, CommsTables } from "@souffleur/comms"
import { Comms, CommsLink, parsePayload, parseTarget, payloadHeader } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { readFileSync, truncateSync, writeFileSync } from "node:fs"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import type { Seed } from "../../simulation/Seed.ts"
import { border, holds, type Place } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { bytes, number, run, some, time, today, word } from "../Hostile.ts"
import { settle } from "../Settle.ts"

const tasks = ["task_id", "state", "last_heartbeat", "session_id", "last_error"]
const messages = ["id", "task_id", "message", "message_type", "from_session", "timestamp"]

/** Draws a value that a stranger may put in a column. */
const value = (seed: Seed): SQLInputValue => {
  const text = (one: string) => one.replaceAll(/[\ud800-\udfff]/gu, "x")
  return seed.pick<() => SQLInputValue>([
    () => null,
    () => text(word(seed)),
    () => text(run(seed)).slice(0, 100_000),
    () => number(seed),
    () => 9223372036854775807n,
    () => -9223372036854775808n,
    () => bytes(seed, 100),
    () => time(seed),
    () => `${payloadHeader}\npermission_mode: ${text(word(seed))}\nresume_prompt: ${text(word(seed))}`,
    () => `PID:${seed.between(0, 9999)} SESSION_ID:${text(word(seed))}`
  ])()
}

type Row = Readonly<Record<string, SQLInputValue>>

const columns = (seed: Seed, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names
    .filter(() => seed.chance(0.97))
    .map((name) =>
      name === "id" && seed.chance(0.7)
        ? "id INTEGER PRIMARY KEY"
        : `${name} ${seed.pick(["TEXT", "TEXT", "INTEGER", "BLOB", "REAL", "", "TEXT COLLATE NOCASE"])}`
    )

/** Statements that the owner of the file may have run in it. Some make a read endless. */
const mischief = [
  "CREATE TRIGGER t BEFORE UPDATE ON orchestration_tasks BEGIN SELECT RAISE(ABORT, 'no'); END",
  "CREATE TRIGGER t AFTER INSERT ON orchestration_messages BEGIN INSERT INTO orchestration_messages(message) WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c; END",
  "CREATE TRIGGER t AFTER UPDATE ON orchestration_tasks BEGIN INSERT INTO orchestration_messages(message) WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c; END",
  "ALTER TABLE orchestration_tasks RENAME TO other; CREATE VIEW orchestration_tasks AS SELECT * FROM other",
  "DROP TABLE orchestration_tasks; CREATE VIEW orchestration_tasks AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x AS task_id, 'working' AS state, 'x' AS last_heartbeat, 's' AS session_id FROM c",
  "DROP TABLE orchestration_messages; CREATE VIEW orchestration_messages AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x AS id, 't' AS task_id, 'm' AS message, 'system' AS message_type FROM c",
  "ALTER TABLE orchestration_tasks ADD COLUMN big TEXT GENERATED ALWAYS AS (hex(zeroblob(1000000))) VIRTUAL",
  "PRAGMA application_id = 77; PRAGMA user_version = 99",
  "PRAGMA journal_mode = WAL",
  "INSERT INTO orchestration_messages(message) SELECT hex(zeroblob(3000000))"
]

interface Database {
  readonly schema: ReadonlyArray<string>
  readonly rows: ReadonlyArray<{ readonly table: string; readonly row: Row }>
  readonly mischief: ReadonlyArray<string>
  readonly flipped: ReadonlyArray<readonly [at: number, to: number]>
  readonly cut: number | undefined
}

const database = (seed: Seed): Database => ({
  schema: seed.chance(0.5)
    ? Object.values(CommsTables.tables)
    : [
        `CREATE TABLE ${seed.pick(["orchestration_tasks", "ORCHESTRATION_TASKS"])} (${columns(seed, tasks).join(", ")})`,
        `CREATE TABLE orchestration_messages (${columns(seed, messages).join(", ")})`
      ],
  rows: [
    ...["task-00", "souffleur"].map((task) => ({
      table: "orchestration_tasks",
      row: {
        task_id: task,
        state: seed.pick<SQLInputValue>(["working", "complete", value(seed)]),
        last_heartbeat: value(seed),
        session_id: value(seed)
      }
    })),
    ...some(seed, 6, () => ({
      table: "orchestration_tasks",
      row: { task_id: value(seed), state: seed.pick<SQLInputValue>(["working", value(seed)]) }
    })),
    ...some(seed, 8, () => ({
      table: "orchestration_messages",
      row: {
        ...(seed.chance(0.3) ? { id: value(seed) } : {}),
        task_id: seed.pick<SQLInputValue>(["souffleur", "task-00", value(seed)]),
        message: value(seed),
        message_type: seed.pick<SQLInputValue>(["instruction", "system", value(seed)]),
        from_session: value(seed)
      }
    }))
  ],
  mischief: seed.chance(0.25) ? [seed.pick(mischief)] : [],
  flipped: seed.chance(0.15) ? some(seed, 40, () => [seed.between(0, 20_000), seed.between(0, 255)] as const) : [],
  cut: seed.chance(0.05) ? seed.between(0, 12_000) : undefined
})

/** Makes the database, as far as SQLite accepts it. */
const make = (place: Place, { cut, flipped, mischief, rows, schema }: Database): string => {
  const path = homeIn(place.folder).write("opera/comms.db", "")
  const file = new DatabaseSync(path)
  const tried = (act: () => unknown) => {
    try {
      act()
    } catch {
      // A statement that SQLite refuses is in no file.
    }
  }
  for (const statement of schema) tried(() => file.exec(statement))
  for (const { row, table } of rows) {
    const names = Object.keys(row)
    tried(() =>
      file
        .prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
        .run(...Object.values(row))
    )
  }
  for (const statement of mischief) tried(() => file.exec(statement))
  file.close()
  if (flipped.length > 0) {
    const whole = readFileSync(path)
    for (const [at, to] of flipped) if (whole.length > 0) whole[at % whole.length] = to
    writeFileSync(path, whole)
  }
  if (cut !== undefined) truncateSync(path, cut)
  return path
}

/** Checks a database that belongs to others. Whatever is in it, it answers or is unavailable, and soon. */
export const commsDatabases = border("comms-databases", {
  share: 4,
  within: 1500,
  draw: database,
  checks: {
    "a watcher reads and writes": async (input, place) => {
      const asked = Effect.gen(function* () {
        const comms = yield* Comms
        const seen = yield* Effect.option(comms.snapshot)
        if (Option.isSome(seen)) {
          const { conductor, lastMessageId, taskCount } = seen.value
          holds(
            Number.isSafeInteger(lastMessageId) && Number.isSafeInteger(taskCount),
            "a count that is none",
            String(lastMessageId)
          )
          const texts = Option.match(conductor, {
            onNone: () => [],
            onSome: ({ lastHeartbeat, sessionId, state }) => [state, lastHeartbeat ?? "", sessionId ?? ""]
          })
          holds(
            texts.every((one) => one.length <= 300),
            "a row that is not cut",
            texts
          )
        }
        const query = { after: 0, sessions: ["abc"] }
        const payload = Option.flatMap(yield* Effect.option(comms.payload(query)), ({ heard }) => heard)
        if (Option.isSome(payload)) parsePayload(payload.value.text)
        const replies = Option.getOrElse(
          Option.map(yield* Effect.option(comms.replies(query)), ({ heard }) => heard),
          () => []
        )
        for (const { text } of replies) parseTarget(text)
        holds(replies.reduce((sum, { text }) => sum + text.length, 0) <= 2_000_000, "replies fill the memory")
        yield* Effect.exit(comms.beat(today))
        yield* Effect.exit(comms.setState("confirmed", today, "x"))
        yield* Effect.exit(comms.post({ key: "opera-0001#7", kind: "warning", text: "x", at: today }))
      })
      await settle(asked.pipe(Effect.provide(CommsErrand.layer(make(place, input)))))
    },
    "an agent reads and writes": async (input, place) => {
      const asked = Effect.gen(function* () {
        const link = yield* CommsLink
        yield* Effect.exit(link.read({ after: 0, taskId: null, most: 50, characters: 16_000 }))
        yield* Effect.exit(link.beat(today))
        yield* Effect.exit(link.setState("working", today))
        yield* Effect.exit(link.post({ taskId: "task-03", from: "s", type: "system", text: "x", at: today }))
        yield* Effect.exit(link.register([{ id: "task-04", state: "watching" }]))
      })
      await settle(asked.pipe(Effect.provide(CommsErrand.layerLink(make(place, input)))))
    }
  }
})
