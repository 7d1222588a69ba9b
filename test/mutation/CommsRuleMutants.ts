import { mutantsOf } from "./Mutant.ts"

const [src, test] = ["packages/comms/src", "packages/comms/test"]

/** Mutants that take away single rules of comms. */
export const commsRuleMutants = [
  ...mutantsOf(
    `${src}/CommsFile.ts`,
    [`${test}/CommsHostile.test.ts`],
    [
      [
        "comms: the look at the tables is in the same transaction",
        "yield* sql.unsafe(begin)\n        const found = yield* inspect(sql)",
        "const found = yield* inspect(sql)\n        yield* sql.unsafe(begin)"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/CommsFile.ts`,
    [`${test}/CommsSqlite.test.ts`],
    [
      [
        "comms: opened for each use",
        "const sqlite = yield* Sqlite\n",
        "const once = yield* Effect.cached(Effect.provideContext((yield* Sqlite).openForeign(path), yield* Effect.context()))\n  const sqlite = { openForeign: () => once }\n"
      ]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/sqlite/SqliteClient.ts",
    [`${test}/CommsSqlite.test.ts`],
    [
      [
        "comms: no use makes a file",
        'if (Option.isNone(found)) return yield* unusable(path, "missing"',
        'if (Option.isNone(found)) yield* fs.writeFile(path, new Uint8Array())\n  if (Option.isNone(found)) return yield* unusable(path, "missing"'
      ]
    ]
  ),
  ...mutantsOf(
    "packages/node/src/sqlite/OwnFile.ts",
    [`${test}/CommsSqlite.test.ts`],
    [["comms: a short busy wait", "const busyTimeoutMillis = 50", "const busyTimeoutMillis = 11_000"]]
  ),
  ...mutantsOf(
    `${src}/CommsSpeakers.ts`,
    [`${test}/CommsSpeakers.test.ts`],
    [
      [
        "speakers: each type that asks",
        "IN ('handoff', 'context_warning', 'resumption', 'system')",
        "IN ('handoff', 'context_warning', 'system')"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/CommsErrand.ts`,
    [`${test}/CommsHostile.test.ts`],
    [["errand: what is not said stays unsaid", "(...args.map((one) => one ?? undefined))", "(...args)"]]
  ),
  ...mutantsOf(
    `${src}/CommsSchema.ts`,
    [`${test}/CommsSchema.test.ts`],
    [
      [
        "init: a row that is there stays",
        "if (inserted.length > 0) made.push(`row ${task}`)",
        "made.push(`row ${task}`)"
      ]
    ]
  ),
  ...mutantsOf(
    `${src}/CommsLinkSqlite.ts`,
    [`${test}/CommsLinkSqlite.test.ts`],
    [
      [
        "link: the agent's beat is its own row's",
        'writing((sql) => beatOf(sql, "task-00",',
        'writing((sql) => beatOf(sql, "souffleur",'
      ],
      [
        "link: a state with its heartbeat",
        "SET state = ${state}, last_heartbeat = ${timeText(at)} WHERE task_id = 'task-00'",
        "SET state = ${state} WHERE task_id = 'task-00'"
      ],
      ["link: messages after an id", "WHERE id > ? AND", "WHERE id > 0 * ? AND"],
      [
        "link: a task that is there stays",
        "        WHERE NOT EXISTS (SELECT 1 FROM orchestration_tasks AS there WHERE there.task_id = value ->> 'id')\n",
        ""
      ]
    ]
  )
]
