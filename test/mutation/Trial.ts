import { type Duration, Effect, Option, Ref, Schema } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"

export interface Question {
  /** The one file that is another than in the tree, absolute. */
  readonly changed: string | undefined
  /** Parts of the paths of test files. */
  readonly tests: ReadonlyArray<string>
}
/** The first test that failed, or what else did; and every test that did, by file and title. */
const Answer = Schema.Struct({ noticed: Schema.NullOr(Schema.String), titles: Schema.Array(Schema.String) })
export type Answer = typeof Answer.Type
const isAnswer = Schema.is(Answer)

/** Why no trial could be made. That is no notice, and ends the judging. */
const Broken = Schema.Struct({ broken: Schema.String })
export type Broken = typeof Broken.Type
const isBroken = Schema.is(Broken)

/** The first noticer of a mutant (`what`), and every test that noticed it. */
export interface Noticed {
  readonly what: string
  readonly titles: ReadonlyArray<string>
}
const noticedIn = ({ noticed, titles }: Answer): Option.Option<Noticed> =>
  Option.map(Option.fromNullishOr(noticed), (what) => ({ what, titles }))

/** Asks, and returns the runner's next answer. A runner that ended gives that as its answer. */
const said = (runner: ChildProcess, ask: () => void) =>
  Effect.callback<Answer>((resume) => {
    const hear = (message: unknown) =>
      over(
        isAnswer(message)
          ? Effect.succeed(message)
          : Effect.die(new Error(isBroken(message) ? message.broken : "the runner sent no answer"))
      )
    const end = () => over(Effect.succeed({ noticed: "the tests' process ended", titles: [] }))
    const quiet = () => void runner.off("message", hear).off("exit", end)
    const over = (answer: Effect.Effect<Answer>) => {
      quiet()
      resume(answer)
    }
    runner.on("message", hear).on("exit", end)
    ask()
    return Effect.sync(quiet)
  })

/** With all that it started, also what hangs in a loop. */
const end = ({ exitCode, pid, signalCode }: ChildProcess) =>
  Effect.sync(() => {
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL")
  })

/**
 * Runs tests in a tree, until the scope ends; the one file that is changed there is named. `None`: all of them pass.
 */
export const makeTrial = Effect.fnUntraced(function* (tree: string) {
  const current = yield* Ref.make<ChildProcess | undefined>(undefined)
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Ref.get(current), (runner) => (runner === undefined ? Effect.void : end(runner)))
  )
  const start = Effect.gen(function* () {
    const runner = fork(join(tree, "test/mutation/Runner.ts"), {
      cwd: tree,
      detached: true,
      // The same seeds each time.
      env: { ...process.env, SOUFFLEUR_SEED: "1" },
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    yield* Ref.set(current, runner)
    yield* said(runner, () => {})
    return runner
  })
  /** Tests that do not end in time have noticed, too; the next are run by another process. */
  return Effect.fn("Trial.noticedBy")(function* (
    tests: ReadonlyArray<string>,
    changed: string | undefined,
    within: Duration.Input
  ) {
    const known = yield* Ref.get(current)
    const runner = known === undefined || !known.connected ? yield* start : known
    const answer = yield* Effect.timeoutOption(
      said(runner, () => runner.send({ changed, tests } satisfies Question)),
      within
    )
    if (Option.isSome(answer)) return noticedIn(answer.value)
    yield* end(runner)
    yield* Ref.set(current, undefined)
    return Option.some<Noticed>({ what: "it does not end", titles: [] })
  })
})
