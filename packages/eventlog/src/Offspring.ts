import { Context, type Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { patiently, TablePrefix } from "./Store.ts"

/** The most processes that are remembered of one Conductor, the newest. */
export const maxOffspring = 1000

/** Pairs of a pid and its start time, all of the Conductor's own boot. */
const StoredOffspring = Schema.fromJsonString(
  Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])).check(Schema.isMaxLength(maxOffspring))
)
const decode = Schema.decodeUnknownOption(StoredOffspring)

/** The identity of a process. */
export interface Born {
  readonly pid: number
  /** The start of the process, as the system counts it. */
  readonly startTime: number
  readonly bootId: string
}

const nameOf = ({ bootId, pid, startTime }: Born) => `${bootId}/${pid}/${startTime}`

/**
 * Remembers the processes that a Conductor started, as last seen while it lived. A tool that cleaned its environment
 * and lost its parent is known by nothing else. The list is in the store beside the log, since souffleur may die
 * between that poll and the stop.
 */
export class Offspring extends Context.Service<
  Offspring,
  {
    /** Replaces the list of this Conductor. */
    readonly remember: (conductor: Born, started: ReadonlyArray<Born>) => Effect.Effect<void>
    /** Returns the list. The caller compares each whole identity, since another process may have the pid by now. */
    readonly recall: (conductor: Born) => Effect.Effect<ReadonlyArray<Born>>
  }
>()("@souffleur/eventlog/Offspring") {
  static readonly layerMemory = Layer.sync(Offspring, () => {
    const known = new Map<string, ReadonlyArray<Born>>()
    return Offspring.of({
      remember: (conductor, started) => Effect.sync(() => void known.set(nameOf(conductor), started)),
      recall: (conductor) => Effect.sync(() => known.get(nameOf(conductor)) ?? [])
    })
  })

  /** Keeps the lists in the store. This process remembers a list that the store does not take, until it does. */
  static readonly layerSql = (lockTimeout: Duration.Input): Layer.Layer<Offspring, never, SqlClient.SqlClient> =>
    Layer.effect(
      Offspring,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const table = sql.literal(`${yield* TablePrefix}offspring`)
        const waiting = patiently(lockTimeout)
        /** The list that this process last tried to write. */
        const own = new Map<string, { readonly text: string; readonly written: boolean }>()
        return Offspring.of({
          remember: Effect.fn("Offspring.remember")(function* (conductor, started) {
            const [name, text] = [
              nameOf(conductor),
              JSON.stringify(started.map(({ pid, startTime }) => [pid, startTime]))
            ]
            const last = own.get(name)
            if (last?.text === text && last.written) return
            own.set(name, { text, written: false })
            yield* waiting(
              sql`INSERT INTO ${table} (conductor, started) VALUES (${name}, ${text})
              ON CONFLICT (conductor) DO UPDATE SET started = excluded.started`
            ).pipe(
              Effect.andThen(Effect.sync(() => own.set(name, { text, written: true }))),
              Effect.catch(({ reason }) =>
                Effect.logDebug("the list of the Conductor's processes could not be written", reason)
              )
            )
          }),
          recall: Effect.fn("Offspring.recall")(function* (conductor) {
            const name = nameOf(conductor)
            const last = own.get(name)
            const [stored] =
              last !== undefined
                ? []
                : yield* waiting(sql<{ started: string }>`SELECT started FROM ${table} WHERE conductor = ${name}`).pipe(
                    Effect.catch(({ reason }) =>
                      Effect.as(Effect.logDebug("the list of the Conductor's processes could not be read", reason), [])
                    )
                  )
            const text = last?.text ?? stored?.started
            const pairs = Option.getOrElse(decode(text), () => [])
            return pairs.map(([pid, startTime]) => ({ pid, startTime, bootId: conductor.bootId }))
          })
        })
      })
    )
}
