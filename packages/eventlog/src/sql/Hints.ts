import { Deferred, Effect, PubSub, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"

/** A stream that somebody follows in this process. */
export interface FollowedStream {
  /** A hint that the stream moved, without content. A hint can be early, doubled or dropped. */
  readonly moved: PubSub.PubSub<void>
  /** Grows with each hint. What was read before it may not be all. */
  version: number
  followers: number
}

/** A log over the database: the streams of its kind, and a hint that one of them moved. */
interface HintedLog {
  readonly isOwn: (stream: string) => boolean
  readonly moved: PubSub.PubSub<void>
}

/**
 * The hints of one connection, which all its logs share: a commit of one never shows to another by `data_version`. Each
 * follower of a stream is woken by that stream alone.
 */
export class Hints {
  readonly #streams = new Map<string, FollowedStream>()
  readonly #logs = new Set<HintedLog>()
  /** One log at a time looks for the commits of others. */
  readonly looks = Semaphore.makeUnsafe(1)
  /** Each look wakes an idle process, so that none is taken before somebody follows. */
  readonly followed = Deferred.makeUnsafe<void>()
  /** What the last look saw; `undefined`: there was none yet. */
  seen: { readonly version: unknown; readonly end: unknown } | undefined

  /** Follows a stream until the scope closes. */
  stream(name: string) {
    const acquired = Effect.gen({ self: this }, function* () {
      const known = this.#streams.get(name)
      const followed = known ?? { moved: yield* PubSub.sliding<void>(1), version: 0, followers: 0 }
      this.#streams.set(name, followed)
      followed.followers++
      return followed
    })
    return Effect.acquireRelease(acquired, (followed) =>
      Effect.sync(() => {
        followed.followers--
        if (followed.followers === 0) this.#streams.delete(name)
      })
    )
  }

  /** Adds a log until the scope closes. */
  log(log: HintedLog) {
    return Effect.acquireRelease(
      Effect.sync(() => void this.#logs.add(log)),
      () => Effect.sync(() => void this.#logs.delete(log))
    )
  }

  /** Tells that these streams may have more events; absent: any may. */
  tell(names?: ReadonlySet<string>) {
    return Effect.suspend(() => {
      const logs = [...this.#logs].filter(({ isOwn }) => names === undefined || [...names].some(isOwn))
      const streams = [...(names ?? this.#streams.keys())].flatMap((name) => this.#streams.get(name) ?? [])
      for (const stream of streams) stream.version++
      return Effect.forEach([...logs, ...streams], ({ moved }) => PubSub.publish(moved, undefined), { discard: true })
    })
  }
}

const known = new WeakMap<SqlClient.SqlClient, Map<string, Hints>>()

/** Returns the hints of the table of events in a database, the same for each log over that connection. */
export const hintsOf = (sql: SqlClient.SqlClient, table: string): Hints => {
  const tables = known.get(sql) ?? new Map<string, Hints>()
  known.set(sql, tables)
  const hints = tables.get(table) ?? new Hints()
  tables.set(table, hints)
  return hints
}
