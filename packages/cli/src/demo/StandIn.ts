import * as NodeServices from "@effect/platform-node/NodeServices"
import { SqliteClient } from "@souffleur/node"
import {
  Cause,
  Config,
  Console,
  Effect,
  FileSystem,
  Layer,
  Option,
  Path,
  Result,
  Schedule,
  Schema,
  Stdio,
  Stream
} from "effect"
import { SecureRandom } from "effect/crypto"
import { openStandInComms, Plan, type Task } from "./StandInComms.ts"
import { craft, craftOf, untilReleased } from "./StandInScript.ts"
import { keepHeartbeatFile } from "./StandInHeartbeat.ts"
import { openSession, type Session, type SessionOrder } from "./StandInSession.ts"

/** What the command line of a launch (spec: behaviour#launch) asks of the agent. */
interface Order {
  readonly session: Pick<SessionOrder, "_tag" | "id"> | undefined
  readonly print: boolean
  /** `undefined`, in print mode: it is on standard input. */
  readonly prompt: string | undefined
}

/** `[--resume ID | --session-id ID] [--permission-mode MODE] [-p] [--] [PROMPT]`; what is wrong, as a sentence. */
export const parse = (argv: ReadonlyArray<string>): Result.Result<Order, string> => {
  const words: Array<string> = []
  let session: Order["session"]
  let print = false
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!
    const value = () => argv[++at] ?? ""
    if (word === "--") {
      words.push(...argv.slice(at + 1))
      break
    } else if (word === "-p" || word === "--print") print = true
    else if (word === "--resume") session = { _tag: "Resume", id: value() }
    else if (word === "--session-id") session = { _tag: "Fresh", id: value() }
    else if (word === "--permission-mode") {
      if (!["acceptEdits", "bypassPermissions"].includes(value())) return Result.fail("error: unknown permission mode")
    } else if (word.startsWith("-")) return Result.fail(`error: unknown option '${word}'`)
    else words.push(word)
  }
  const [prompt] = words
  if ((prompt === undefined && !print) || words.length > 1) return Result.fail("error: one prompt is needed")
  if (session !== undefined && !/^[A-Za-z0-9-]{1,64}$/.test(session.id))
    return Result.fail("error: the session id is malformed")
  return Result.succeed({ session, print, prompt })
}

/** In print mode, where no argument is the prompt. */
const readPrompt = Effect.flatMap(Stdio.Stdio, ({ stdin }) => Stream.mkString(Stream.decodeText(stdin))).pipe(
  Effect.orDie
)

/** What goes wrong on purpose, for demos and tests. Tasks are counted from 1 in the order of the plan. */
const trouble = Config.all({
  /** SIGKILL in the midst of this task. */
  dieAt: Config.Int("SOUFFLEUR_STANDIN_DIE_AT").pipe(Config.withDefault(0)),
  /** From this task on: alive, and silent. */
  hangAt: Config.Int("SOUFFLEUR_STANDIN_HANG_AT").pipe(Config.withDefault(0)),
  /** Before this task: asks for a recovery of its context, and waits for it. */
  handoffAt: Config.Int("SOUFFLEUR_STANDIN_HANDOFF_AT").pipe(Config.withDefault(0)),
  ignoreTerm: Config.Boolean("SOUFFLEUR_STANDIN_IGNORE_TERM").pipe(Config.withDefault(false)),
  compactFails: Config.Boolean("SOUFFLEUR_STANDIN_COMPACT_FAILS").pipe(Config.withDefault(false))
})

// A fiber that waits for nothing does not keep a Node process alive; a timer does.
const idle = Effect.forever(Effect.sleep("1 hour"))

const stageWordIn = (text: string): string | undefined => /stage word is ([\w-]+)/i.exec(text)?.[1]
/** The path of an export that a prompt tells a successor to read. */
const exportIn = (prompt: string): string | undefined => /(?:^|\s)(\/[^\n]*\.md)\b/m.exec(prompt)?.[1]

/**
 * A successor shows that it has what came before it: from the export, by reading it; else from the conversation itself.
 */
const recall = Effect.fnUntraced(function* (session: Session, prompt: string) {
  const files = yield* FileSystem.FileSystem
  const path = exportIn(prompt)
  if (path === undefined) {
    const word = stageWordIn(session.context())
    return word === undefined || stageWordIn(prompt) === word ? undefined : `I go on. The stage word is ${word}.`
  }
  const use = yield* session.toolUse("Read", { file_path: path })
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

const work = Effect.fnUntraced(function* (session: Session, id: string, plan: typeof Plan.Type) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const board = yield* openStandInComms(session.cwd)
  const { dieAt, handoffAt, hangAt } = yield* trouble
  const doing = Effect.fnUntraced(function* (task: Task, number: number) {
    if (number === handoffAt) {
      yield* board.conductor("context_recovery", id)
      return yield* idle
    }
    yield* board.claim(task, id)
    const path = paths.resolve(session.cwd, task.file)
    const use = yield* session.toolUse("Write", { file_path: path, content: task.text })
    if (number === dieAt) process.kill(process.pid, "SIGKILL")
    if (number === hangAt) return yield* idle
    const done = Effect.andThen(Effect.sleep(task.millis), untilReleased(task.id))
    yield* Effect.raceFirst(done, Effect.repeat(board.beat, Schedule.spaced("500 millis")))
    yield* files.writeFileString(path, task.text)
    yield* session.toolResult(use, `File created successfully at: ${path}`)
    yield* board.complete(task)
    return yield* board.beat
  })
  yield* board.conductor("working", id)
  for (const [index, task] of plan.tasks.entries()) {
    if (!(yield* board.isDone(task))) yield* doing(task, index + 1)
  }
  return yield* board.conductor("complete", id)
})

const turn = Effect.fnUntraced(function* (session: Session, id: string, print: boolean, prompt: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const { compactFails } = yield* trouble
  if (prompt.trim().startsWith("/compact")) {
    const word = stageWordIn(session.context())
    yield* session.compact(
      `Summary of the conversation so far.${word === undefined ? "" : ` The stage word is ${word}.`}`,
      compactFails
    )
  } else {
    yield* session.user(prompt)
    const asked = craftOf(prompt)
    if (asked !== undefined) {
      const said = (yield* craft(session, asked)) ?? (yield* idle)
      yield* session.say(said, false)
      yield* Console.log(said)
      yield* session.turnEnded(prompt)
      return 0
    }
    const recalled = yield* recall(session, prompt)
    const text = yield* Effect.option(files.readFileString(paths.join(session.cwd, "plan.json")))
    if (recalled !== undefined) yield* session.say(recalled, Option.isSome(text))
    if (Option.isSome(text)) yield* work(session, id, yield* Schema.decodeUnknownEffect(Plan)(text.value))
    const last = Option.isSome(text) ? "Every task of the plan is complete." : (recalled ?? "There is no plan here.")
    if (last !== recalled) yield* session.say(last, false)
    if (print) yield* Console.log(last)
  }
  yield* session.turnEnded(prompt)
  if (print) return 0
  yield* session.status("idle")
  return yield* idle
})

/** The exit code that a signal ends the real agent with: TERM 143, INT 0, HUP 129. */
const signalled = (ignoreTerm: boolean) =>
  Effect.callback<number>((resume) => {
    const codes = { SIGTERM: 143, SIGINT: 0, SIGHUP: 129 } as const
    const end = (signal: NodeJS.Signals) => {
      if (signal !== "SIGTERM" || !ignoreTerm) resume(Effect.succeed(codes[signal as keyof typeof codes]))
    }
    for (const signal of Object.keys(codes)) process.on(signal, end)
    return Effect.sync(() => {
      for (const signal of Object.keys(codes)) process.off(signal, end)
    })
  })

/**
 * An agent of our own for the demo and the tests: it keeps its files, takes its arguments and ends as the real one was
 * seen to (spec: claude-code#files), and works on `plan.json` without a model. Returns its exit code.
 */
export const standIn = Effect.fn("StandIn.standIn")(function* (argv: ReadonlyArray<string>) {
  const order = parse(argv)
  if (Result.isFailure(order)) {
    yield* Console.error(order.failure)
    return 1
  }
  const { print, session: asked } = order.success
  const prompt = order.success.prompt ?? (yield* readPrompt)
  if (prompt.trim() === "") {
    yield* Console.error(
      "Error: Input must be provided either through stdin or as a prompt argument when using --print"
    )
    return 1
  }
  const random = yield* SecureRandom.SecureRandom
  const chosen = asked ?? { _tag: "Fresh" as const, id: yield* random.uuidV4() }
  const { ignoreTerm } = yield* trouble
  const living = Effect.gen(function* () {
    yield* keepHeartbeatFile
    const session = yield* openSession({ ...chosen, print })
    return yield* turn(session, chosen.id, print, prompt)
  }).pipe(
    Effect.scoped,
    Effect.catchTag("SessionRefused", ({ message }) => Effect.as(Console.error(message), 1))
  )
  return yield* Effect.raceFirst(living, signalled(ignoreTerm))
})

const services = Layer.mergeAll(
  Layer.provideMerge(SqliteClient.layerSqlite, NodeServices.layer),
  SecureRandom.layerWebCrypto
)

/** Runs the stand-in as this very process, to its end. It minds its signals itself: no other runner may. */
export const runStandIn = (argv: ReadonlyArray<string>): Promise<never> =>
  standIn(argv)
    .pipe(
      Effect.provide(services),
      Effect.catchCause((cause) => Effect.as(Console.error(Cause.pretty(cause)), 1)),
      Effect.runPromise
    )
    .then((code) => process.exit(code))
