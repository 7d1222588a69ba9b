import { type Launcher, type LaunchEnd, LaunchFailed } from "@souffleur/domain"
import { Effect, Option, Schedule } from "effect"
import type { Gate } from "./EffectGate.ts"
import type { LaunchRoom } from "./LaunchRoom.ts"
import type { ProcessTable, SimProcess } from "./ProcessTable.ts"

const receiptPoll = Schedule.spaced("500 millis")
const receiptTimeout = "15 seconds"

/**
 * Launches as the port asks: a launch is spawned and waited for. A launch that fails, is late or is interrupted is
 * cancelled by a tombstone. A launched process is a child of `self`.
 */
export const launcher = (
  { processes, room }: { readonly processes: ProcessTable; readonly room: LaunchRoom },
  self: SimProcess,
  gate: Gate,
  endOf: (id: string) => Option.Option<LaunchEnd>
): Launcher["Service"] => {
  const look = (id: string, process: SimProcess) =>
    gate.through(
      "launcher.launch: receipt",
      Effect.suspend(() => {
        const receipt = room.look(id)
        if (receipt?._tag === "Taken") return Effect.succeedSome(receipt.process)
        return receipt !== undefined || !processes.isAlive(process)
          ? Effect.fail(new LaunchFailed({ message: "the launcher ended and left no receipt", momentary: true }))
          : Effect.succeedNone
      })
    )
  const attempt = Effect.fnUntraced(function* (id: string) {
    const before = room.look(id)
    if (before?._tag === "Taken") return before.process
    if (before !== undefined) return yield* new LaunchFailed({ message: "the launch was cancelled" })
    const { command, place } = room.launches.get(id)?.order ?? {}
    if (command?.window === true && place !== "headless") {
      const answer = yield* gate.through(
        "launcher.launch: window",
        Effect.sync(() => room.window?.())
      )
      if (answer === "hangs") yield* Effect.sleep(receiptTimeout)
      return yield* new LaunchFailed({ message: "tmux does not answer", noWindow: true })
    }
    const process = yield* gate.through(
      "launcher.launch: spawn",
      Effect.flatMap(gate.lookedAt, (lookedAt) =>
        room.away
          ? Effect.fail(new LaunchFailed({ message: "there is no program claude", momentary: true }))
          : Effect.sync(() => room.spawn(id, lookedAt, self.identity.pid))
      )
    )
    return yield* look(id, process).pipe(
      Effect.repeat({ until: Option.isSome, schedule: receiptPoll }),
      Effect.map(Option.getOrThrow),
      Effect.timeoutOrElse({
        duration: receiptTimeout,
        orElse: () => Effect.fail(new LaunchFailed({ message: "the launcher took too long", momentary: true }))
      })
    )
  })
  const noted = ({ message, momentary }: LaunchFailed) =>
    Effect.sync(() => void (room.lacked = momentary === true ? message : undefined))
  const close = (id: string) =>
    gate.through(
      "launcher: tombstone",
      Effect.sync(() => room.close(id))
    )
  return {
    terminals: room.window === undefined ? ["headless"] : ["tmux", "headless"],
    hasPty: Effect.succeed(true),
    prepare: (order) => gate.through("launcher.prepare", room.prepare(order)),
    launch: (id) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.exit(Effect.tapError(restore(attempt(id)), noted)), (exit) =>
          exit._tag === "Success"
            ? exit
            : Effect.flatMap(close(id), (taken) => (Option.isSome(taken) ? Effect.succeed(taken.value) : exit))
        )
      ),
    settle: close,
    kept: (id) =>
      gate.through(
        "launcher.kept",
        Effect.suspend(() => {
          const order = room.kept.get(id)
          return order === undefined
            ? Effect.fail(new LaunchFailed({ message: "nothing is kept of it" }))
            : Effect.succeed(order)
        })
      ),
    forget: (id) =>
      gate.through(
        "launcher.forget",
        Effect.sync(() => void room.kept.delete(id))
      ),
    endOf: (id) =>
      gate.through(
        "launcher.endOf",
        Effect.sync(() => endOf(id))
      ),
    outputPath: (id, of) => `/state/launches/${id}.${of === "stderr" ? "err" : "out"}`,
    bound: () => Effect.void,
    inWindow: () => Effect.succeed(false)
  }
}
