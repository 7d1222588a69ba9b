import { Settings } from "@souffleur/domain"
import { Effect, Option, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { remark } from "../Remark.ts"

/**
 * Programs of the system that keep it awake while another one runs. That one reads a pipe of ours, and ends with this
 * process, however it ends.
 */
const inhibitors = [
  ["systemd-inhibit", "--what=idle:sleep", "--who=souffleur", "--why=an agent works", "cat"],
  ["caffeinate", "-i", "cat"]
] as const

/** Keeps the machine awake until the scope closes. Returns where nothing does. */
const inhibited = Effect.gen(function* () {
  for (const [program, ...args] of inhibitors) {
    const running = yield* Effect.option(
      ChildProcess.make(program, args, { stdout: "ignore", stderr: "ignore", env: {}, extendEnv: false })
    )
    if (Option.isNone(running)) continue
    yield* Effect.ignore(running.value.exitCode)
    return yield* remark("warning", `${program} has ended, and the machine may sleep`)
  }
  return yield* remark("warning", "nothing here keeps the machine awake: there is no systemd-inhibit or caffeinate")
}).pipe(Effect.scoped)

/**
 * Keeps the machine awake while the last value of `goesOn` is true, if the user asks for that (spec: settings#keys). It
 * never fails.
 */
export const keptAwake = Effect.fn("keptAwake")(function* <E, R>(goesOn: Stream.Stream<boolean, E, R>) {
  const { keepAwake } = yield* Settings
  if (keepAwake === "no") return
  yield* goesOn.pipe(
    Stream.changes,
    Stream.switchMap((on) => (on ? Stream.fromEffect(Effect.andThen(inhibited, Effect.never)) : Stream.empty)),
    Stream.runDrain,
    Effect.ignore
  )
})
