import { plain } from "@souffleur/domain"
import { Duration, Effect, Option, Ref, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { notStarted, ProgramFailed } from "./UserProgram.ts"

/** Most characters of its output that are kept: its end, where test runners say what failed. */
const maxSaid = 2000
/** For how long output is read after its end, which a process that it left may still have. */
const lastWords = "1 second"

/** Makes what it printed safe for a prompt, a log and a terminal, line by line: it may hold any byte. */
const shown = (text: string) =>
  text
    .split("\n")
    .map((line) => plain(line.replace(/\r$/u, "").replaceAll("\t", "  ")))
    .join("\n")

/**
 * Runs a program of the user that judges something by its exit code, and returns that code with the end of all that it
 * printed. It is ended, with all that it started, when it takes too long. Fails with `ProgramFailed` where it cannot be
 * run, or does not end in time.
 */
export const runCheck = Effect.fn("runCheck")(function* ({
  cwd,
  environment,
  within,
  words: [program, ...args]
}: {
  readonly words: readonly [string, ...ReadonlyArray<string>]
  readonly cwd: string
  /** Its whole environment. */
  readonly environment: Readonly<Record<string, string>>
  readonly within: Duration.Input
}) {
  const said = yield* Ref.make("")
  const ran = Effect.gen(function* () {
    const handle = yield* ChildProcess.make(program, args, {
      cwd,
      stdin: "ignore",
      env: environment,
      extendEnv: false,
      forceKillAfter: "1 second"
    }).pipe(Effect.mapError(notStarted(program)))
    const heard = Stream.runForEach(Stream.decodeText(handle.all), (part) =>
      Ref.update(said, (before) => (before + part).slice(-maxSaid))
    )
    // A signal that ended it is an error of its exit code.
    const code = Effect.orElseSucceed(handle.exitCode, () => null)
    yield* Effect.raceFirst(Effect.ignore(heard), Effect.andThen(code, Effect.sleep(lastWords)))
    return yield* code
  }).pipe(Effect.scoped)
  const code = yield* Effect.timeoutOption(ran, within)
  if (Option.isNone(code))
    return yield* new ProgramFailed({
      message: `it did not end within ${Duration.format(Duration.fromInputUnsafe(within))}`,
      ran: true,
      said: shown(yield* Ref.get(said))
    })
  return { code: code.value, said: shown(yield* Ref.get(said)) }
})
