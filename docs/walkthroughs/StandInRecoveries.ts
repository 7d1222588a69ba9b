import { payloadHeader } from "@souffleur/domain"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { bundle, prints, type Running, said, stage, task, until, type Variables } from "../../test/cli/CliStage.ts"
import type { Played, Scenario } from "./Walkthrough.ts"

type Staged = Effect.Success<ReturnType<typeof stage>>

/** An agent whose first launches hang, so many of them, in place of what they were launched for. */
const hanging = ({ home }: Staged, launches: number): string => {
  const [agent, left] = [join(home, "agent"), join(home, "launches-that-hang")]
  fs.writeFileSync(left, "x".repeat(launches))
  const script = `#!/bin/sh
if [ -s '${left}' ]; then truncate -s -1 '${left}'; exec sleep 300; fi
exec '${process.execPath}' '${bundle}' __stand-in "$@"
`
  fs.writeFileSync(agent, script, { mode: 0o755 })
  return agent
}

/** Waits for the event that a page is of, and for the end of the watch where one comes; then reads what is there. */
const told = Effect.fnUntraced(function* (the: Staged, watch: Running, tag: string, ends = true) {
  const event = yield* prints(watch, tag)
  if (ends) yield* watch.ended
  else
    yield* until(
      Effect.sync(() => the.messages().length),
      // Of the death, the estimate, the hand-on and the end.
      (messages) => messages === 4
    )
  const lines = (...args: ReadonlyArray<string>) => Effect.map(the.run([...args, "--utc"]), (run) => run.lines)
  const launched = watch.lines.map(said).filter(({ _tag }) => _tag === "ConductorRelaunched")
  const rows = the.commsDb((db) => [
    ...db
      .prepare(
        "SELECT format('%-10s %-17s %s', task_id, state, coalesce(last_error, session_id, '')) AS row FROM orchestration_tasks ORDER BY task_id"
      )
      .all(),
    ...db
      .prepare(
        "SELECT format('%-10s %-17s %s', task_id, message_type, message) AS row FROM orchestration_messages ORDER BY id"
      )
      .all()
  ])
  return {
    hidden: [[the.home, "~"]],
    rows: rows.map(({ row }) => String(row).trimEnd()),
    log: yield* lines("log"),
    prompts: launched.map(({ sessionId }) => promptOf(the.conversation(String(sessionId)))),
    why: yield* lines("why", event.watch, String(event.revision))
  } satisfies Played
})

/** Returns the last words of a person in a conversation of Claude Code. */
const promptOf = (conversation: string): string =>
  conversation
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { readonly type: string; readonly message?: { readonly content: unknown } })
    .flatMap(({ message, type }) => (type === "user" && typeof message?.content === "string" ? [message.content] : []))
    .at(-1) ?? ""

/** Plays the death of a Conductor in its second task, under this config. */
const death = Effect.fnUntraced(function* (
  config: string,
  event: string,
  { ends = true, hangs = 0 }: { readonly ends?: boolean; readonly hangs?: number } = {}
) {
  const the = yield* stage([task(1), task(2)])
  fs.mkdirSync(join(the.project, ".orchestra_configs"))
  fs.writeFileSync(join(the.project, ".orchestra_configs", "souffleur"), config)
  const variables: Variables = {
    SOUFFLEUR_COMPACT_TIMEOUT: "3 seconds",
    ...(hangs > 0 ? { SOUFFLEUR_AGENT_COMMAND: hanging(the, hangs) } : {})
  }
  const conductor = yield* the.conductor(2)
  const watch = the.start(["watch", "--json", `PID:${conductor.pid}`, `SESSION_ID:${the.session}`], variables)
  yield* prints(watch, "WatchSettled")
  conductor.kill("SIGKILL")
  return yield* told(the, watch, event, ends)
})

/** The Conductor asks for a fresh context and for more permission than the ceiling has. */
const clamped = Effect.gen(function* () {
  const the = yield* stage([task(1), task(2)])
  const conductor = yield* the.conductor(2)
  const watch = the.watch(conductor)
  yield* prints(watch, "WatchSettled")
  the.commsDb((db) => {
    db.prepare(
      "INSERT INTO orchestration_messages (task_id, message, message_type) VALUES ('souffleur', ?, 'handoff')"
    ).run(`${payloadHeader}\npermission_mode: bypassPermissions\nresume_prompt: Go on with the second act.`)
    db.exec(
      "UPDATE orchestration_tasks SET state = 'context_recovery', last_heartbeat = datetime('now') WHERE task_id = 'task-00'"
    )
  })
  return yield* told(the, watch, "LaunchPrepared")
})

/** The five recoveries that every reader should have seen once, on real processes. */
export const recoveries: ReadonlyArray<Scenario> = [
  {
    name: "export-passes",
    title: "The export fits, and a successor goes on from it",
    what: "The Conductor is killed in its second task. The estimate of its export stays below `FORCE_COMPACT`.",
    play: death("FORCE_COMPACT=400000\n", "ConductorRelaunched")
  },
  {
    name: "export-too-large",
    title: "The export is too large, and the session is compacted",
    what: "The estimate is above `FORCE_COMPACT`, here 5 tokens, so the same session goes on, compacted.",
    play: death("FORCE_COMPACT=5\n", "ConductorRelaunched")
  },
  {
    name: "compaction-once-late",
    title: "A compaction does not come to its end, and the second one does",
    what: "The first compaction hangs until `COMPACT_TIMEOUT`, here 3 seconds.",
    play: death("FORCE_COMPACT=5\n", "ConductorRelaunched", { hangs: 1 })
  },
  {
    name: "compaction-twice-late",
    title: "Both compactions hang, and souffleur fails closed",
    what: "After the second timeout nothing is launched, and a person is asked.",
    play: death("FORCE_COMPACT=5\n", "RecoveryFailedClosed", { hangs: 2, ends: false })
  },
  {
    name: "permission-clamped",
    title: "More permission is asked for than the ceiling has",
    what: "The Conductor hands its work over and asks for `bypassPermissions`; the ceiling is `acceptEdits`.",
    play: clamped
  }
]
