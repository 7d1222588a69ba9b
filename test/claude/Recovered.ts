import { SqliteClient } from "@souffleur/node"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { alive } from "./AgentProcesses.ts"
import { type Lab, type Logged, makeLab, marks, type Part, until } from "./Lab.ts"
import type { Asked } from "./ModelEndpoint.ts"
import type { Stage } from "./Stage.ts"

export const services = Layer.provideMerge(SqliteClient.layerSqlite, NodeServices.layer)

const first = "5c0ff1e0-0000-4000-8000-000000000001"
/** Only the first conversation knows it. */
const word = "quinquereme"
const thought = "nobody is to read this thought"
const prompt = `-p is no flag here, and $(touch touched) no command. The stage word is ${word}. Rehearse.`
/** A sleep alone is refused by the agent. */
const rehearsal = "bash -c 'echo $$ > tool.pid; sleep 300; true'; echo finished"

/** The path of the export, as a launch's prompt tells it. */
const exportIn = (asked: Asked): string => /read it first: (\/.*\.md)$/m.exec(asked.said.join("\n"))?.[1] ?? "/nothing/to/read"

/** The first Conductor rehearses until it is killed; its successor reads the export, and if it knows the word then, all is complete. */
const part: Part = (asked, board) => {
  if (asked.sessionId === first) {
    return Effect.succeed(
      asked.toolResult === undefined
        ? { thinking: thought, text: "I rehearse.", tool: { name: "Bash", input: { command: rehearsal, description: "Rehearse" } } }
        : { text: "Done." }
    )
  }
  if (asked.toolResult === undefined) return Effect.as(board.beat, { tool: { name: "Read", input: { file_path: exportIn(asked) } } })
  return asked.toolResult.includes(word)
    ? Effect.as(board.complete, { text: "I have read the export, and all is complete." })
    : Effect.succeed({ text: "I could not read the export." })
}

const only = (log: ReadonlyArray<Logged>, tag: string, where: (event: Logged) => boolean = () => true): Logged => {
  const found = log.filter((event) => event._tag === tag && where(event))
  assert.lengthOf(found, 1, `${tag} in ${log.map((event) => event._tag).join(" ")}`)
  return found[0]!
}

interface Recovery {
  readonly stageOf: (lab: Lab) => Effect.Effect<Stage, never, Effect.Services<ReturnType<typeof makeLab>>>
  /** What happens to the first Conductor in the middle of its tool call. */
  readonly harm: "SIGKILL" | "SIGSTOP"
}

/**
 * One recovery with the real agent, seen from outside: by the model on the other end, the processes of the machine, the files
 * of both, and souffleur's own log. Returns what a test may want to look at besides.
 */
export const recovered = Effect.fn("Recovered")(function* (claude: string, { harm, stageOf }: Recovery) {
  const lab = yield* makeLab(claude, "opera $(touch touched) [a] 'b'", part)
  const stage = yield* stageOf(lab)

  const one = yield* stage.conductor(first, prompt)
  yield* until("a tool call", lab.exists("tool.pid"))
  const tool = Number(yield* lab.read("tool.pid"))
  const souffleur = yield* stage.souffleur(["watch", "--json", "--pid", String(one), "--session-id", first])
  yield* until(
    "watching",
    Effect.map(souffleur.said, (said) => said.includes("WatchSettled"))
  )
  assert.isTrue(yield* alive(tool))

  yield* lab.board.beat
  process.kill(one, harm)
  const code = yield* souffleur.exitCode
  assert.strictEqual(code, 0, yield* souffleur.said)

  const log = yield* lab.log
  const died = only(log, "ConductorDied")
  assert.strictEqual(died["cause"], harm === "SIGKILL" ? "pid" : "heartbeat")
  const stopped = only(log, "StepSucceeded", (event) => event["step"] === "1 stop")["outcome"] as Record<string, unknown>
  // A stopped process does not see SIGTERM. Its tool's shell and what that runs are in a session of their own.
  assert.strictEqual(stopped["ended"], harm === "SIGKILL" ? "already gone" : "SIGKILL")
  assert.isAtLeast(stopped["others"] as number, 2)
  assert.isFalse(yield* alive(one))
  assert.isFalse(yield* alive(tool))
  const relaunched = only(log, "ConductorRelaunched")
  const [second, exported] = [String(relaunched["sessionId"]), String(relaunched["exportPath"])]
  only(log, "ConductorCompleted")

  const markdown = yield* lab.read(exported)
  assert.include(markdown, prompt)
  assert.include(markdown, "**Tool call: Bash**")
  assert.include(markdown, rehearsal)
  assert.include(yield* lab.read(lab.sessionFile(first)), thought)
  assert.notInclude(markdown, thought)

  const { all, most } = yield* lab.agents
  assert.strictEqual(most, 1, "never two at once")
  assert.lengthOf([...all], 2)
  const { pid } = relaunched["conductor"] as { pid: number }
  const argv = all.get(pid)?.argv ?? []
  const environment = all.get(pid)?.environment ?? []
  assert.isTrue(environment.some((variable) => variable.startsWith("SOUFFLEUR_LAUNCH_ID=")))
  for (const mark of marks) assert.notInclude(environment, mark)
  assert.deepStrictEqual(
    argv.filter((_, index) => argv[index - 1] === "--permission-mode"),
    ["acceptEdits"]
  )
  assert.notInclude(argv.slice(0, argv.indexOf("--")).join(" "), "skip-permissions")

  const asked = (yield* lab.asked).filter(({ turn }) => turn)
  assert.deepStrictEqual(new Set(asked.map(({ sessionId }) => sessionId)), new Set([first, second]))
  assert.include(asked[0]!.said, prompt)
  const successor = asked.filter(({ sessionId }) => sessionId === second)
  assert.include(successor[0]!.said.join("\n"), exported)
  assert.include(successor[0]!.said.join("\n"), lab.comms)
  assert.include(successor[0]!.said.join("\n"), first)
  assert.notInclude(successor[0]!.said.join("\n"), word)
  assert.include(successor[1]!.toolResult ?? "", word)
  assert.isTrue(yield* lab.exists(lab.sessionFile(second)))
  assert.isFalse(yield* lab.exists("touched"))
  return { pid, argv }
})
