import {
  HubAlarms,
  HubBrowsers,
  HubJobs,
  HubPeople,
  HubProjection,
  HubRetention,
  type HubStore,
  HubWords,
  layerPostgres
} from "@souffleur/hub"
import { HostHashing } from "@souffleur/node"
import { Effect, Layer, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { BadUsage } from "../Failure.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { fleetJobs } from "../fleet/FleetJobs.ts"

/** The variable with the URL of the database, which no list of processes shows. */
const variable = "SOUFFLEUR_HUB_DATABASE"

/** The database of the hub. */
export const database = Flag.String("database").pipe(
  Flag.withDescription(`The URL of its Postgres database; else the variable ${variable}`),
  Flag.optional
)

type Tier = HubAlarms | HubBrowsers | HubJobs | HubPeople | HubProjection | HubRetention | HubStore | HubWords

/** Runs a command with the store of the hub. Fails with `BadUsage` where no database is named, or it cannot be used. */
export const withStore = <A, E, R>(named: Option.Option<string>, act: Effect.Effect<A, E, R | Tier>) =>
  Effect.gen(function* () {
    const { variables } = yield* Environment
    const url = Option.getOrElse(named, () => variables[variable] ?? "")
    if (!/^postgres(?:ql)?:\/\//u.test(url))
      return yield* new BadUsage({ message: `which database? --database postgres://USER@HOST/NAME, or ${variable}` })
    const tier = Layer.mergeAll(
      HubProjection.layerSql(fleetJobs),
      HubAlarms.layerSql(fleetJobs),
      HubRetention.layerSql(fleetJobs),
      HubBrowsers.layerSql,
      HubJobs.layerSql(fleetJobs),
      HubPeople.layerSql,
      HubWords.layerSql
    )
    const layer = Layer.provideMerge(tier, layerPostgres(Redacted.make(url)))
    return yield* Effect.provide(act, [layer, HostHashing.layer])
  })

/** Checks the name of a host or a person: letters, digits, `.`, `_` and `-`. Fails with `BadUsage`. */
export const checkedName = (name: string) =>
  /^\w[\w.-]{0,63}$/u.test(name)
    ? Effect.succeed(name)
    : Effect.fail(
        new BadUsage({ message: "it takes a name of letters, digits, dots, dashes and underscores, 64 at most" })
      )
