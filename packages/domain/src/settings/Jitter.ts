import { Duration, Effect, Random } from "effect"

/**
 * Returns a duration in ms, a fifth shorter or longer at most. So several watches do not act at the same moment.
 */
export const jittered = (duration: Duration.Duration): Effect.Effect<number> =>
  Effect.map(Random.nextBetween(0.8, 1.2), (factor) => Math.round(Duration.toMillis(duration) * factor))
