import { type Duration, Effect, Semaphore } from "effect"

/** Makes a gate that lets a fiber through so many times in any such span, and holds it up then. */
export const makeAllowance = ({ times, within }: { readonly times: number; readonly within: Duration.Duration }) =>
  Effect.map(Semaphore.make(times), (turns) =>
    Effect.andThen(turns.take(1), Effect.forkChild(Effect.delay(turns.release(1), within)))
  )
