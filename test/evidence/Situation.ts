import { claudeCode, codex, copilot, gemini, openCode, pi, qwen } from "@souffleur/agents"
import { Agent, type Condition, judge, Processes, type ProcessInfo, type Signs, type Verdict } from "@souffleur/domain"
import * as fs from "node:fs"
import { Effect, FileSystem, Layer, Option, Path, Schema } from "effect"
import { TestClock } from "effect/testing"
import { keep } from "../../packages/agents/test/opencode/Database.ts"

/** The stall time of the agent's calls in ms, as in souffleur's settings (spec: settings#keys). */
export const stall = 361_000

const folder = new URL("../fixtures/evidence/", import.meta.url)
const Time = Schema.String

/** All signs of one Conductor at a moment, with the right verdict. Times are ISO 8601. */
const Situation = Schema.Struct({
  /** One sentence that says what is really going on. */
  what: Schema.String,
  /** Claude Code where it names none. */
  agent: Schema.optionalKey(Schema.Literals(["codex", "copilot", "gemini", "opencode", "pi", "qwen"])),
  /** `recorded`: the agent wrote these records. Their words are replaced, and their ages are set. */
  from: Schema.Literals(["recorded", "constructed"]),
  right: Schema.Literals(["alive", "dead"]),
  now: Time,
  since: Time,
  process: Schema.Literals(["running", "stopped", "zombie", "gone", "unknown"]),
  stillSince: Schema.optionalKey(Time),
  children: Schema.optionalKey(Schema.Int),
  hook: Schema.optionalKey(Schema.Struct({ event: Schema.String, at: Time })),
  beat: Schema.optionalKey(Time),
  pidFile: Schema.optionalKey(
    Schema.Struct({ status: Schema.String, waitingFor: Schema.optionalKey(Schema.String), writtenAt: Time })
  ),
  session: Schema.optionalKey(
    Schema.Struct({
      writtenAt: Time,
      subagentsWroteAt: Schema.optionalKey(Time),
      /** The last line has no newline. */
      torn: Schema.optionalKey(Schema.Boolean),
      /** A record, a raw line, or a record that is filled up to a number of bytes. */
      lines: Schema.Array(
        Schema.Union([Schema.String, Schema.Struct({ fill: Schema.Int, type: Schema.String }), Schema.Json])
      )
    })
  ),
  /** The records of its output, of an agent that tells its turn there. */
  output: Schema.optionalKey(Schema.Array(Schema.Json)),
  /** The expected verdict. Its times are text. */
  verdict: Schema.StructWithRest(Schema.Struct({ _tag: Schema.String }), [Schema.Record(Schema.String, Schema.Unknown)])
})
export type Situation = typeof Situation.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Situation), { onExcessProperty: "error" })
export const situations: ReadonlyArray<Situation & { readonly name: string }> = fs
  .readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .toSorted()
  .map((name) => ({ name: name.replace(".json", ""), ...decode(fs.readFileSync(new URL(name, folder), "utf8")) }))

const identity = { pid: 70, startTime: 77, bootId: "boot" }
const sessionId = "11111111-0000-4000-8000-000000000000"
const optional = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time))

const isFill = (line: unknown): line is { readonly fill: number; readonly type: string } =>
  typeof line === "object" && line !== null && "fill" in line && typeof line.fill === "number"
const textOf = (line: unknown): string =>
  typeof line === "string" ? line : JSON.stringify(isFill(line) ? { type: line.type, x: "x".repeat(line.fill) } : line)

const agents = {
  claude: { layer: claudeCode.layer, file: `projects/-p/${sessionId}.jsonl` },
  codex: { layer: codex.layer, file: `sessions/2026/11/21/rollout-2026-11-21T05-29-14-${sessionId}.jsonl` },
  copilot: { layer: copilot.layer, file: `session-state/${sessionId}/events.jsonl` },
  gemini: {
    layer: gemini.layer,
    file: `.gemini/tmp/opera/chats/session-2026-11-21T05-29-${sessionId.slice(0, 8)}.jsonl`
  },
  opencode: { layer: openCode.layer, file: `opencode/opencode.db/${sessionId}` },
  pi: { layer: pi.layer, file: `sessions/--p--/2026-11-21T05-29-14-040Z_${sessionId}.jsonl` },
  qwen: { layer: qwen.layer, file: `projects/-p/chats/${sessionId}.jsonl` }
} as const

/** Writes the files as the agent would, in their own folder, with their times. */
const laidOut = Effect.fnUntraced(function* ({ agent, output, pidFile, session }: Situation) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-evidence-" })
  const write = Effect.fnUntraced(function* (name: string, text: string, at: string) {
    const file = path.join(root, name)
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* fs.writeFileString(file, text)
    yield* fs.utimes(file, Date.parse(at) / 1000, Date.parse(at) / 1000)
  })
  if (pidFile !== undefined) {
    const { writtenAt, ...said } = pidFile
    yield* write(
      `sessions/${identity.pid}.json`,
      JSON.stringify({ pid: identity.pid, sessionId, cwd: "/p", procStart: "77", ...said }),
      writtenAt
    )
  }
  if (session !== undefined) {
    const text = session.lines.map(textOf).join("\n")
    if (session.subagentsWroteAt !== undefined) {
      yield* write(`projects/-p/${sessionId}/subagents/agent-a.jsonl`, "{}\n", session.subagentsWroteAt)
    }
    const { file } = agents[agent ?? "claude"]
    // Its time is that of its newest record.
    if (agent === "opencode") yield* keep(path.join(root, file), text)
    else yield* write(file, text === "" || session.torn === true ? text : `${text}\n`, session.writtenAt)
  }
  if (output === undefined) return { root, output }
  yield* write("launch.out", output.map(textOf).join("\n"), session?.writtenAt ?? "")
  return { root, output: path.join(root, "launch.out") }
})

/** Makes the table with the agent alone. It carries its session where the agent has no pid file. */
const table = (agent: string, condition: Condition | undefined) => {
  const info: ProcessInfo = { identity, parent: 1, uid: 1000, name: agent, condition: "running" }
  const there = condition !== "gone"
  return Layer.mock(Processes)({
    self: { pid: 1, startTime: 1, bootId: "boot" },
    host: { name: "host", machine: "m", pidNamespace: "pid:[1]", uid: 1000 },
    find: (pid) =>
      Effect.succeed(
        pid === identity.pid && there
          ? Option.some({ ...info, condition: condition === undefined ? "running" : condition })
          : Option.none()
      ),
    commandLine: (pid) => Effect.succeed(pid === identity.pid ? [agent, "--session", sessionId] : []),
    carriers: () => Effect.succeed(there ? [{ ...info, value: sessionId }] : [])
  })
}

/** Reads the files with souffleur's own readers. */
export const signsOf = Effect.fn("Situation.signs")(
  function* (situation: Situation) {
    const { output, root: agentDir } = yield* laidOut(situation)
    const process = situation.process === "unknown" ? undefined : situation.process
    const options = { agentDir, agentCommand: { program: "claude", args: [] }, environment: {} }
    yield* TestClock.setTime(Date.parse(situation.now))
    return yield* Effect.gen(function* () {
      const agent = yield* Agent
      const session = Option.getOrUndefined(yield* agent.signs(sessionId, output))
      const file = (yield* agent.sessions).find(({ pid }) => pid === identity.pid)
      return {
        now: Date.parse(situation.now),
        process,
        turnEnded: process === "gone" && (yield* agent.turnEnded(identity, sessionId, output)),
        stillSince: optional(situation.stillSince),
        children: situation.children,
        session,
        pidFile: file,
        hook:
          situation.hook === undefined ? undefined : { event: situation.hook.event, at: Date.parse(situation.hook.at) },
        beat: optional(situation.beat),
        since: Date.parse(situation.since)
      } satisfies Signs
    }).pipe(
      Effect.provide(
        agents[situation.agent ?? "claude"]
          .layer(options)
          .pipe(Layer.provide(table(situation.agent ?? "claude", process)))
      )
    )
  },
  Effect.scoped,
  (signs) => Effect.provide(signs, TestClock.layer())
)

/** Reduces a verdict to the fields of the right one, with times as text. */
export const comparable = (verdict: Verdict, right: Situation["verdict"]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(verdict)
      .filter(([key]) => key in right)
      .map(([key, value]) => [
        key,
        ["at", "resetsAt", "since", "until"].includes(key) && typeof value === "number"
          ? new Date(value).toISOString()
          : value
      ])
  )

export const kills = ({ _tag }: Verdict) => _tag === "Hung" || _tag === "Gone"

export const judged = (signs: Signs) => judge(signs, stall)
