import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { alive } from "./AgentProcesses.ts"
import { type Lab, makeLab, marks, type Part } from "./Lab.ts"
import type { Asked } from "./ModelEndpoint.ts"
import type { Stage } from "./ClaudeStage.ts"
import { bash, first, flagsOf, only, outcomeOf, permissionsOf, rehearsal, watched } from "./Watched.ts"

/** Only the first conversation knows it. */
const word = "quinquereme"
const thought = "nobody is to read this thought"
const prompt = `-p is no flag here, and $(touch touched) no command. The stage word is ${word}. Rehearse.`

/** The path of the export, as a launch's prompt tells it. */
const exportIn = (asked: Asked): string =>
  /read it first: (\/.*\.md)$/m.exec(asked.said.join("\n"))?.[1] ?? "/nothing/to/read"

/**
 * Lets the first Conductor rehearse until it is killed. Its successor reads the export. All is complete if it knows the
 * word then.
 */
const part: Part = (asked, commsDb) => {
  if (asked.sessionId === first) {
    return Effect.succeed(
      asked.toolResult === undefined
        ? { thinking: thought, text: "I rehearse.", ...bash(rehearsal) }
        : { text: "Done." }
    )
  }
  if (asked.toolResult === undefined)
    return Effect.as(commsDb.beat, { tool: { name: "Read", input: { file_path: exportIn(asked) } } })
  return asked.toolResult.includes(word)
    ? Effect.as(commsDb.complete, { text: "I have read the export, and all is complete." })
    : Effect.succeed({ text: "I could not read the export." })
}

interface Recovery {
  readonly stageOf: (lab: Lab) => Effect.Effect<Stage, never, Effect.Services<ReturnType<typeof makeLab>>>
  /** The signal that hits the first Conductor in the middle of its tool call. */
  readonly harm: "SIGKILL" | "SIGSTOP"
}

/**
 * Plays one recovery with the real agent and looks at it from outside. It asks the model on the other end, and the
 * processes of the machine. It also asks the files of both, and souffleur's own log. Returns what a test may want to
 * look at besides.
 */
export const recovered = Effect.fn("Recovered")(function* (claude: string, { harm, stageOf }: Recovery) {
  // Only a heartbeat tells of a stopped one, and its successor has as long.
  const settings = harm === "SIGSTOP" ? { SOUFFLEUR_HEARTBEAT_STALE_AFTER: "15 seconds" } : {}
  const lab = yield* makeLab(claude, "opera $(touch touched) [a] 'b'", part, { settings })
  const stage = yield* stageOf(lab)

  const { conductor: one, souffleur } = yield* watched(lab, stage, prompt)
  const tool = Number(yield* lab.read("tool.pid"))
  assert.isTrue(yield* alive(tool))

  yield* lab.commsDb.beat
  process.kill(one, harm)
  const code = yield* souffleur.exitCode
  assert.strictEqual(code, 0, yield* souffleur.said)

  const log = yield* lab.log
  const died = only(log, "ConductorDied")
  assert.strictEqual(died["reason"], harm === "SIGKILL" ? "pid" : "heartbeat")
  const stopped = outcomeOf(log, "1 stop")
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
  assert.deepStrictEqual(permissionsOf(argv), ["acceptEdits"])
  assert.notInclude(flagsOf(argv).join(" "), "skip-permissions")

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
