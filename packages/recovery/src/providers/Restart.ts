import { Launcher, LaunchFailed, unknownSession, type Watch } from "@souffleur/domain"
import { lastPrinted } from "@souffleur/process"
import { Effect } from "effect"
import { settled, started } from "../launch/Launch.ts"
import { Launched, prepareSuccessor } from "../launch/LaunchSuccessor.ts"
import { unhindered } from "../launch/LaunchHindrance.ts"
import { FailedClosed, type Provider, type StepServices } from "../Provider.ts"
import { stopConductor } from "../steps/StopConductor.ts"
import { step } from "../steps/Step.ts"

/**
 * Returns whether the last lines of a command say that it wants a terminal. Nothing else depends on these words of a
 * command, and a terminal gives it no power.
 */
export const wantsTerminal = (lines: ReadonlyArray<string>): boolean =>
  lines.some((line) =>
    /\bnot a (?:tty|terminal)\b|\binappropriate ioctl\b|\bno controlling t(?:ty|erminal)\b/iu.test(line)
  )

/**
 * Starts the same command again, from the file of its first launch, under its own id and receipt. It gets a terminal
 * where its first run wanted one, and this machine can make it. Fails with `LaunchFailed`.
 */
const runAgain = Effect.fnUntraced(function* (watch: Watch, token: string) {
  const launcher = yield* Launcher
  const first = watch.firstLaunch
  if (first === undefined)
    return yield* new LaunchFailed({
      message: "souffleur did not start this command, so it does not know how to run it"
    })
  const kept = yield* launcher.kept(first.launchId, first.digest)
  const words = yield* lastPrinted(first.launchId)
  const pty = first.pty || (wantsTerminal(words) && (yield* launcher.hasPty))
  const order = pty ? { ...kept, terminal: "own" as const } : kept
  const { effective, requested } = first
  const prepared = { sessionId: unknownSession, requested, effective, pty }
  return yield* started(token, () => Effect.as(unhindered(watch), { order, prepared }))
})

/** Stops a command, which has no conversation, and runs it again (spec: behaviour#restart). */
export const restart: Provider<StepServices> = {
  name: "restart",
  of: "command",
  foresee: () => [{ _tag: "Again" }],
  recover: Effect.fn("recover")(function* (watch: Watch, { alreadyKilled, request }) {
    if (!alreadyKilled) yield* stopConductor(watch)
    const { baseline } = yield* prepareSuccessor(watch, "prepare to restart", request, Effect.succeed(""))
    const launched = yield* step("restart", {
      kind: "launch",
      outcome: Launched,
      failure: LaunchFailed,
      act: (token) => runAgain(watch, token),
      reconcile: settled
    }).pipe(
      Effect.catchTag("LaunchFailed", (error) =>
        Effect.fail(new FailedClosed({ stage: "launch", message: error.message }))
      )
    )
    return { ...launched, print: false, sessionId: unknownSession, awaiting: false, exportPath: null, baseline }
  })
}
