import { HostServices, SqliteClient } from "@souffleur/node"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type Lab, type LabOptions, type Logged, makeLab, type Part, until } from "./Lab.ts"
import type { Answer, Asked } from "./ModelEndpoint.ts"
import { type headless, type Stage, type tmux } from "./ClaudeStage.ts"

export const services = Layer.provideMerge(SqliteClient.layerSqlite, HostServices.layer)

/** The session of the first Conductor: no other test's, since a session is claimed for a whole machine. */
export const first = globalThis.crypto.randomUUID()

/** The task of the first Conductor. */
export const begin = "Rehearse. The stage word is quinquereme."

/** Goes on until somebody ends it; a sleep alone is refused by the agent. */
export const rehearsal = "bash -c 'echo $$ > tool.pid; sleep 300; true'; echo finished"

/** Goes on until the test writes the file `go`. */
export const waiting = "bash -c 'echo $$ > tool.pid; while [ ! -e go ]; do sleep 0.1; done'; echo finished"

/** A tool call of the model. */
export const bash = (command: string) => ({ tool: { name: "Bash", input: { command, description: "Rehearse" } } })

/** The model's part after a recovery: it checks with a tool, and says then that all is complete. */
export const checks = ({ toolResult }: Asked): Answer =>
  toolResult?.includes("checked") === true ? { text: "All is complete." } : bash("echo checked")

/** Starts the first Conductor, and in the middle of its tool call a souffleur that watches it. */
export const watched = Effect.fn("Watched")(function* (lab: Lab, stage: Stage, prompt: string) {
  const conductor = yield* stage.conductor(first, prompt)
  yield* until("a tool call", lab.exists("tool.pid"))
  const souffleur = yield* stage.souffleur(["watch", "--json", "--pid", String(conductor), "--session-id", first])
  yield* until(
    "watching",
    Effect.map(souffleur.said, (said) => said.includes("WatchSettled")),
    souffleur.said
  )
  return { conductor, souffleur }
})

/** The same from the beginning, in a lab of its own with this config. */
export const staged = Effect.fn("Staged")(function* (
  claude: string,
  stageOf: typeof headless | typeof tmux,
  part: Part,
  config = "",
  options: LabOptions = {}
) {
  const lab = yield* makeLab(claude, "opera", part, options)
  yield* lab.write(".orchestra_configs/souffleur", config)
  const stage = yield* stageOf(lab)
  return { lab, stage, ...(yield* watched(lab, stage, begin)) }
})

/** Until souffleur has said an event of that kind. */
export const told = ({ said }: { readonly said: Effect.Effect<string> }, tag: string) =>
  until(
    tag,
    Effect.map(said, (text) => text.includes(`"_tag":"${tag}"`)),
    said
  )

/** The one event of that kind. */
export const only = (
  log: ReadonlyArray<Logged>,
  tag: string,
  where: (event: Logged) => boolean = () => true
): Logged => {
  const found = log.filter((event) => event._tag === tag && where(event))
  assert.lengthOf(found, 1, `${tag} in ${log.map((event) => event._tag).join(" ")}`)
  return found[0]!
}

/** Which steps came to that, in their order. */
export const stepsOf = (log: ReadonlyArray<Logged>, tag: "StepSucceeded" | "StepFailed") =>
  log.flatMap((event) => (event._tag === tag ? [event["step"]] : []))

/** Returns the outcome of a step. */
export const outcomeOf = (log: ReadonlyArray<Logged>, step: string) =>
  only(log, "StepSucceeded", (event) => event["step"] === step)["outcome"] as Readonly<Record<string, unknown>>

/** The flags of a launch's command line: what follows them, if anything does, is the prompt. */
export const flagsOf = (argv: ReadonlyArray<string>) =>
  argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length)

/** Each permission that a command line asks for. */
export const permissionsOf = (argv: ReadonlyArray<string>) =>
  argv.filter((_, index) => argv[index - 1] === "--permission-mode")
