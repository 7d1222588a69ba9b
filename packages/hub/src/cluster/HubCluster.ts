import { type Cron, Effect, Layer, Option, References } from "effect"
import {
  ClusterCron,
  type MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  type RunnerStorage,
  Sharding,
  ShardingConfig,
  Singleton,
  SqlMessageStorage,
  SqlRunnerStorage
} from "effect/cluster"
import { Digest } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { HubProjection } from "../HubProjection.ts"

/** Work that one hub of a database does for all of them. */
export type HubPart = "sentinel" | "retention"

/** A part of a hub, which needs the cluster of its database. */
export type LayerOfPart<R = never> = Layer.Layer<never, never, R | HubProjection | Sharding.Sharding>

/** One of the hubs of a database, told apart by `host` and `port`. `parts`: what it may do. */
export interface HubRunner {
  readonly host: string
  readonly port: number
  readonly parts: ReadonlyArray<HubPart>
}

/**
 * Names the shard of a part. A hub takes only the shards of its own parts and rules. Otherwise it would hold shards
 * whose work it never does.
 */
const groupOf = (part: HubPart, rules: string) => `${part} ${rules}`

/** Keeps the logs of a part as they are. The cluster logs errors alone, and a part may run in a fiber of it. */
const withOwnLogs = (act: Effect.Effect<void>) =>
  Effect.map(References.MinimumLogLevel, (level) => Effect.provideService(act, References.MinimumLogLevel, level))

/** Does a part in one hub of a database at a time. If the part moves to another hub, it restarts there. */
export const layerInOneHub = (part: HubPart, act: Effect.Effect<void>): LayerOfPart =>
  Layer.unwrap(
    Effect.zipWith(HubProjection, withOwnLogs(act), ({ rules }, run) =>
      Singleton.make(part, run, { shardGroup: groupOf(part, rules) })
    )
  )

/** Does a part in one hub of a database, at the times of a schedule. */
export const layerInOneHubAt = (part: HubPart, cron: Cron.Cron, act: Effect.Effect<void>): LayerOfPart =>
  Layer.unwrap(
    Effect.zipWith(HubProjection, withOwnLogs(act), ({ rules }, execute) =>
      ClusterCron.make({ name: part, cron, execute, shardGroup: groupOf(part, rules) })
    )
  )

/** Its locks are rows. Advisory locks are numbers, and hubs of two versions would have the same ones. */
const layerConfig = ({ host, parts, port }: HubRunner) =>
  Layer.effect(
    ShardingConfig.ShardingConfig,
    HubProjection.useSync(({ rules }) => {
      const groups = parts.map((part) => groupOf(part, rules))
      return {
        ...ShardingConfig.defaults,
        runnerAddress: Option.some(RunnerAddress.make(host, port)),
        availableShardGroups: groups,
        assignedShardGroups: groups,
        shardsPerGroup: 1,
        shardLockDisableAdvisory: true,
        // A starved machine renews late. A hub without news of its locks stops its parts, and begins them again.
        shardLockRefreshInterval: "20 seconds",
        shardLockExpiration: "1 minute"
      }
    })
  )

/** Where the runners of a cluster meet: their rows, their locks, and the messages that they leave to each other. */
export type ClusterStorage = RunnerStorage.RunnerStorage | MessageStorage.MessageStorage

const layerSqlStorage: Layer.Layer<ClusterStorage, never, SqlClient.SqlClient | ShardingConfig.ShardingConfig> =
  Layer.merge(Layer.orDie(SqlRunnerStorage.layer), SqlMessageStorage.layer).pipe(Layer.provide(Digest.layerWebCrypto))

/** Makes this hub a runner of a cluster that meets in some storage. */
export const layerRunner = <R>(
  runner: HubRunner,
  storage: Layer.Layer<ClusterStorage, never, R>
): Layer.Layer<Sharding.Sharding, never, HubProjection | Exclude<R, ShardingConfig.ShardingConfig>> =>
  Sharding.layer.pipe(
    Layer.provide(Runners.layerNoop),
    Layer.provide([storage, RunnerHealth.layerNoop]),
    Layer.provide(layerConfig(runner)),
    // In an outage each fiber of the cluster warns again and again. The parts tell it once.
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
  )

/**
 * Makes this hub a runner of the cluster of its database (spec: fleet#several-hubs). No message crosses between hubs.
 * Each is a row, which its hub reads. So no port is opened. A hub is alive as long as it renews its own row.
 */
export const layerHubCluster = (
  runner: HubRunner
): Layer.Layer<Sharding.Sharding, never, HubProjection | SqlClient.SqlClient> => layerRunner(runner, layerSqlStorage)
