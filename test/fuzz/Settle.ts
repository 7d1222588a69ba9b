import { HostServices } from "@souffleur/node"
import { Cause, Effect, Exit, Logger } from "effect"

export type Host = HostServices.HostServices

/** Runs it on the real files of this host. A failure of its own types is an answer; a defect is thrown as it is. */
export const settle = async <A, E>(effect: Effect.Effect<A, E, Host>): Promise<Exit.Exit<A, E>> => {
  const exit = await Effect.runPromiseExit(Effect.provide(effect, [HostServices.layer, Logger.layer([])]))
  if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) throw exit.cause.reasons.find(Cause.isDieReason)!.defect
  return exit
}

/** What it came to; `undefined` where it failed by one of its own types. */
export const valueOf = async <A, E>(effect: Effect.Effect<A, E, Host>): Promise<A | undefined> => {
  const exit = await settle(effect)
  return Exit.isSuccess(exit) ? exit.value : undefined
}
