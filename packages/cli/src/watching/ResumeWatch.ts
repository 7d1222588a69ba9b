import { AlreadyWatched, type Owner } from "@souffleur/domain"
import { type NamedWatch, Souffleur } from "@souffleur/embed"
import { hadGuardian } from "@souffleur/embed/internal"
import { Effect } from "effect"
import { printTable } from "../explain/TextTable.ts"
import { withStep } from "../explain/NextStep.ts"
import { detachedLine } from "./DetachedWatch.ts"

/** The result for one watch. `pid`: the souffleur that looks after it; `null`: none does. */
export interface Resumed {
  readonly watch: string
  /** `left alone`: no souffleur was started, because that is a guardian's act, or it was tried too often. */
  readonly outcome: "goes on" | "watched already" | "left alone" | "failed"
  readonly pid: number | null
  readonly message: string
}

/** Returns the result for a watch that has a souffleur. */
export const watchedBy = (watch: string, { process: { pid } }: Owner): Resumed => ({
  watch,
  outcome: "watched already",
  pid,
  message: `souffleur pid ${pid} watches it already`
})

/**
 * Returns the result for a watch that may not be taken. Where its owner cannot be seen from here, such as on another
 * machine, nobody knows whether that watches it, and the refusal says what to do (spec: behaviour#one-owner).
 */
export const notTaken = (watch: string, refused: AlreadyWatched): Resumed =>
  refused.unseen === true
    ? { watch, outcome: "failed", pid: null, message: withStep(new AlreadyWatched({ ...refused, watch })) }
    : watchedBy(watch, refused.owner)

/**
 * Starts a souffleur for a watch that has none. One failure must not hold the other watches up. `over`: it takes the
 * place of the dead owner of that fence, and counts as a restoration.
 */
export const resumed = Effect.fn("resumed")(
  function* ({ id, unreadable }: NamedWatch, over: number | undefined) {
    if (unreadable !== undefined) return yield* unreadable
    const souffleur = yield* Souffleur
    const line = yield* detachedLine({ guardian: yield* hadGuardian(id), over })
    const { pid } = yield* souffleur.detach({ watch: id }, { line })
    const done: Resumed = { watch: id, outcome: "goes on", pid, message: `it goes on, with souffleur pid ${pid}` }
    return done
  },
  (effect, { id }, _over) =>
    effect.pipe(
      Effect.catchTag("AlreadyWatched", (refused) => Effect.succeed(notTaken(id, refused))),
      Effect.catch((error) =>
        Effect.succeed<Resumed>({ watch: id, outcome: "failed", pid: null, message: withStep(error) })
      )
    )
)

/** Tells each result in one line. */
export const tell = (all: ReadonlyArray<Resumed>) => printTable(all.map(({ message, watch }) => [watch, message]))
