import { isSameProcess, Launcher, Processes, Settings, type Watch } from "@souffleur/domain"
import { LaunchSlots } from "@souffleur/eventlog"
import { isGone } from "@souffleur/process"
import { Effect, Option } from "effect"
import { FailedClosed } from "../Provider.ts"
import { unlessComplete } from "../steps/Completion.ts"
import { otherWriter } from "../steps/EndConductor.ts"
import { agentLeftBy } from "../program/FoundSuccessor.ts"
import { Cycle } from "../steps/Step.ts"

/** Fails with `FailedClosed` when another process holds the session (spec: behaviour#one-writer). */
const oneWriter = Effect.fnUntraced(function* (watch: Watch) {
  const writer = yield* otherWriter(watch)
  if (writer !== undefined) return yield* new FailedClosed({ stage: "one writer", message: writer })
})

/**
 * Settles the launch of an earlier cycle, which may have failed closed before it was decided. Fails with `FailedClosed`
 * where its process runs: two agents would work at once.
 */
const unlessLaunched = Effect.fnUntraced(function* ({ conductor, undecided }: Watch) {
  if (undecided === undefined) return
  const processes = yield* Processes
  const ran = yield* Effect.catchTag((yield* Launcher).settle(undecided), "LaunchFailed", ({ message }) =>
    Effect.fail(new FailedClosed({ stage: "launch", message }))
  )
  // A launch by the user's program has no receipt.
  const process = Option.getOrUndefined(ran) ?? (yield* agentLeftBy(undecided))
  if (process === undefined || isSameProcess(process, conductor) || (yield* isGone(processes, process))) return
  return yield* new FailedClosed({
    stage: "one writer",
    message: `process ${process.pid}, which an earlier recovery launched, still runs: adopt it, or end it`
  })
})

/**
 * Waits for a launch slot, then checks for everything that forbids a launch. It runs inside the launch step. There a
 * launch that a crash left behind is settled first, and its process holds the session rightly.
 */
export const unhindered = Effect.fnUntraced(function* (watch: Watch) {
  const { launchSpacing } = yield* Settings
  const { watch: ref } = yield* Cycle
  // The slot comes first, because it may take a while. The checks after it are fresh at the launch.
  yield* (yield* LaunchSlots)(ref.id, launchSpacing)
  yield* unlessComplete
  yield* unlessLaunched(watch)
  yield* oneWriter(watch)
})
