import { CommsErrand } from "@souffleur/comms"
import type { Errands } from "@souffleur/domain"
import { HostServices, SqliteClient } from "@souffleur/node"
import { Cause, Effect, Exit, Layer, Logger } from "effect"

/** The services of the host for a program of souffleur. Its questions to comms are answered in this very process. */
export type Host = HostServices.HostServices | Errands

const errands = CommsErrand.layerHere.pipe(Layer.provide(SqliteClient.layerSqlite))
export const host = Layer.provideMerge(Layer.merge(errands, Logger.layer([])), HostServices.layer)

/** Runs an effect, and returns its exit. A defect is thrown as it is. */
export const ran = async <A, E>(effect: Effect.Effect<A, E>): Promise<Exit.Exit<A, E>> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) throw exit.cause.reasons.find(Cause.isDieReason)!.defect
  return exit
}

/** Runs an effect on the real files of this host. A failure of its own types is an answer. */
export const settle = <A, E>(effect: Effect.Effect<A, E, Host>): Promise<Exit.Exit<A, E>> =>
  ran(Effect.provide(effect, host))

/** Returns the value of an effect; `undefined` where it failed by one of its own types. */
export const valueOf = async <A, E>(effect: Effect.Effect<A, E, Host>): Promise<A | undefined> => {
  const exit = await settle(effect)
  return Exit.isSuccess(exit) ? exit.value : undefined
}
