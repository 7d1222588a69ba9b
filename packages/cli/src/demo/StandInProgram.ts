import * as NodeServices from "@effect/platform-node/NodeServices"
import { ownIdentity, SqliteClient } from "@souffleur/node"
import { Cause, Config, Console, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { exitCodes, standIn } from "../agent/StandInAgent.ts"
import { keepHeartbeatFile } from "./StandInHeartbeat.ts"
import { part } from "./StandInPart.ts"

const ignoresTerm = Config.Boolean("SOUFFLEUR_STANDIN_IGNORE_TERM").pipe(Config.withDefault(false))

/** Returns the exit code of the first signal that ends this process. */
const signalled = Effect.flatMap(ignoresTerm, (ignoreTerm) =>
  Effect.callback<number>((resume) => {
    const end = (signal: NodeJS.Signals) => {
      if (signal !== "SIGTERM" || !ignoreTerm) resume(Effect.succeed(exitCodes[signal as keyof typeof exitCodes]))
    }
    for (const signal of Object.keys(exitCodes)) process.on(signal, end)
    return Effect.sync(() => {
      for (const signal of Object.keys(exitCodes)) process.off(signal, end)
    })
  })
)

const services = Layer.mergeAll(
  Layer.provideMerge(SqliteClient.layerSqlite, NodeServices.layer),
  SecureRandom.layerWebCrypto
)

/** Runs the stand-in as this process, to its end. The stand-in handles its signals itself, so no other runner may. */
export const runStandIn = (argv: ReadonlyArray<string>): Promise<never> =>
  Effect.andThen(
    keepHeartbeatFile,
    Effect.raceFirst(standIn(argv, ownIdentity() ?? { pid: process.pid, startTime: 0 }, part), signalled)
  )
    .pipe(
      Effect.scoped,
      Effect.provide(services),
      Effect.catchCause((cause) => Effect.as(Console.error(Cause.pretty(cause)), 1)),
      Effect.runPromise
    )
    .then((code) => process.exit(code))
