import { Config, Effect, FileSystem, Option, Path, Schedule, Schema } from "effect"
import { idle, type Part, type Session } from "../agent/StandInAgent.ts"
import { openStandInComms, DemoPlan, type DemoTask } from "./StandInComms.ts"
import { craft, craftOf, untilReleased } from "./StandInScript.ts"

/** Faults on purpose, for demos and tests. Tasks are counted from 1 in the order of the plan. */
const trouble = Config.all({
  /** The agent kills itself with SIGKILL during this task. */
  dieAt: Config.Int("SOUFFLEUR_STANDIN_DIE_AT").pipe(Config.withDefault(0)),
  /** From this task on the agent is alive and silent. */
  hangAt: Config.Int("SOUFFLEUR_STANDIN_HANG_AT").pipe(Config.withDefault(0)),
  /** Before this task the agent asks for a recovery of its context, and waits for it. */
  handoffAt: Config.Int("SOUFFLEUR_STANDIN_HANDOFF_AT").pipe(Config.withDefault(0))
})

const stageWordIn = (text: string): string | undefined => /stage word is ([\w-]+)/i.exec(text)?.[1]
/** Returns the path of an export that a prompt tells a successor to read. */
const exportIn = (prompt: string): string | undefined => /(?:^|\s)(\/[^\n]*\.md)\b/m.exec(prompt)?.[1]

/** Shows that a successor has the earlier conversation: it reads the export, or else it uses its own conversation. */
const recall = Effect.fnUntraced(function* (session: Session, prompt: string) {
  const files = yield* FileSystem.FileSystem
  const path = exportIn(prompt)
  if (path === undefined) {
    const word = stageWordIn(session.context())
    return word === undefined || stageWordIn(prompt) === word ? undefined : `I go on. The stage word is ${word}.`
  }
  const use = yield* session.reads(path)
  const text = yield* Effect.option(files.readFileString(path))
  if (Option.isNone(text)) {
    yield* session.toolResult(use, "File does not exist.", true)
    return "I could not read the export."
  }
  yield* session.toolResult(use, text.value.slice(0, 2000))
  const word = stageWordIn(text.value)
  return word === undefined
    ? "I have read the export: there is no stage word in it."
    : `I have read the export: the stage word is ${word}.`
})

const work = Effect.fnUntraced(function* (session: Session, plan: typeof DemoPlan.Type) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const comms = yield* openStandInComms(session.cwd)
  const { dieAt, handoffAt, hangAt } = yield* trouble
  const doing = Effect.fnUntraced(function* (task: DemoTask, number: number) {
    if (number === handoffAt) {
      yield* comms.conductor("context_recovery", session.id)
      return yield* idle
    }
    yield* comms.claim(task, session.id)
    const path = paths.resolve(session.cwd, task.file)
    const use = yield* session.writes(path, task.text)
    if (number === dieAt) process.kill(process.pid, "SIGKILL")
    if (number === hangAt) return yield* idle
    const done = Effect.andThen(Effect.sleep(task.millis), untilReleased(session, task.id))
    yield* Effect.raceFirst(done, Effect.repeat(comms.beat, Schedule.spaced("500 millis")))
    yield* files.writeFileString(path, task.text)
    yield* session.toolResult(use, `File created successfully at: ${path}`)
    yield* comms.complete(task)
    return yield* comms.beat
  })
  yield* comms.conductor("working", session.id)
  for (const [index, task] of plan.tasks.entries()) {
    if (!(yield* comms.isDone(task))) yield* doing(task, index + 1)
  }
  return yield* comms.conductor("complete", session.id)
})

/** Plays an implementer or a reviewer by `craft.json`, else works on `plan.json`, else says what it remembers. */
const answer = Effect.fnUntraced(function* (session: Session, prompt: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const asked = craftOf(prompt, session.context())
  if (asked !== undefined) return (yield* craft(session, asked)) ?? (yield* idle)
  const recalled = yield* recall(session, prompt)
  const plan = yield* Effect.option(files.readFileString(paths.join(session.cwd, "plan.json")))
  if (Option.isNone(plan)) return recalled ?? "There is no plan here."
  if (recalled !== undefined) yield* session.say(recalled, true)
  yield* work(session, yield* Schema.decodeUnknownEffect(DemoPlan)(plan.value))
  return "Every task of the plan is complete."
})

/** The part of the stand-in in the demonstration and in tests: it knows a word, and works on a plan. */
export const part: Part<Effect.Error<ReturnType<typeof answer>>, Effect.Services<ReturnType<typeof answer>>> = {
  answer,
  summary: (conversation) => {
    const word = stageWordIn(conversation)
    return `Summary of the conversation so far.${word === undefined ? "" : ` The stage word is ${word}.`}`
  }
}
