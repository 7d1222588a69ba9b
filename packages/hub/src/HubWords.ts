import {
  longestWord,
  maxWaiting,
  NoSuchWord,
  type SaidWord,
  type StoreOut,
  type ToldWord,
  type WaitingWord,
  type WordAnswer,
  WordKept,
  type WordStanding
} from "@souffleur/fleet"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { HubStore } from "./HubStore.ts"
import { orOut } from "./HubTrouble.ts"
import type { KnownPerson } from "./people/HubPeople.ts"

/** Milliseconds until the end of a word. */
const left = "(extract(epoch FROM until - clock_timestamp()) * 1000)::bigint AS left_ms"

/** Selects people whose words count. */
const speaks = "people.role = 'operator' AND people.revoked IS NULL"

/** Selects words that wait. The words of a revoked token count no more, even if its person gets another one. */
const waits = `answered IS NULL AND EXISTS (SELECT 1 FROM people WHERE name = person AND ${speaks} AND added <= said)`

/**
 * One statement. The same word is said once, through however many hubs. A hub that was frozen on its way says it after
 * its end, which is too late.
 */
const say = `INSERT INTO words (id, log, stream, word, seen, person, until)
  SELECT $1::uuid, log, $3, $4, $5::bigint, people.name, until
  FROM logs JOIN hosts ON hosts.name = enrolled_host, people, to_timestamp($7::bigint / 1000.0) AS until
  WHERE log = $2::uuid AND takes_words AND NOT forked AND hosts.revoked IS NULL
    AND people.name = $6 AND people.added = $8::timestamptz AND ${speaks}
    AND until BETWEEN clock_timestamp() AND clock_timestamp() + interval '${longestWord} milliseconds'
    AND (SELECT count(*) FROM words WHERE words.log = $2::uuid AND ${waits} AND words.until > clock_timestamp()) < ${maxWaiting}
  ON CONFLICT (id) DO NOTHING`

/** Finds a word where it says the same. */
const said = `SELECT reason, note, answered IS NOT NULL AS answered, ${waits} AS waits, ${left} FROM words
  WHERE (id, log, stream, word, seen, person, until)
    = ($1::uuid, $2::uuid, $3, $4, $5::bigint, $6, to_timestamp($7::bigint / 1000.0))`

/** Says why a log takes no words now. */
const refusing = `SELECT hosts.revoked IS NOT NULL AS revoked, forked, takes_words,
    (SELECT count(*) FROM words WHERE words.log = logs.log AND ${waits} AND until > clock_timestamp())::int AS waiting
  FROM logs JOIN hosts ON hosts.name = enrolled_host WHERE log = $1::uuid`

/** A host that was away for long still says whether it took a word. Those that still count come first. */
const waiting = `SELECT id::text, stream, word, seen, person, ${left}
  FROM words JOIN logs USING (log)
  WHERE log = $1::uuid AND enrolled_host = $2 AND NOT forked AND ${waits}
    AND until > clock_timestamp() - interval '1 day'
  ORDER BY until < clock_timestamp(), said, id LIMIT ${maxWaiting}`

/** The newest words to a watch, for the people who look at it. */
const told = `SELECT word, seen, person, (extract(epoch FROM said) * 1000)::bigint AS said_at,
    reason, note, answered IS NOT NULL AS answered, ${waits} AS waits, ${left}
  FROM words WHERE log = $1::uuid AND stream = $2 AND said > clock_timestamp() - interval '24 hours'
  ORDER BY said DESC, id LIMIT 10`

const answer = `UPDATE words SET answered = clock_timestamp(), reason = $4, note = $5 FROM logs
  WHERE logs.log = words.log AND words.id = $1::uuid AND words.log = $2::uuid AND enrolled_host = $3 AND answered IS NULL`

interface StandingRow {
  readonly reason: string | null
  readonly note: string | null
  readonly answered: boolean
  readonly waits: boolean
  readonly left_ms: unknown
}

const standingOf = ({ answered, left_ms, note, reason, waits }: StandingRow): WordStanding => {
  const left = Number(left_ms)
  if (waits) return { outcome: "waiting", reason: null, note: null, left }
  if (!answered) return { outcome: "refused", reason: "the token of its speaker was revoked", note: null, left }
  return { outcome: reason === null ? "taken" : "refused", reason, note, left }
}

interface LogRow {
  readonly revoked: boolean
  readonly forked: boolean
  readonly takes_words: boolean
  readonly waiting: number
}

const problemOf = (log: LogRow | undefined): string => {
  if (log === undefined) return "it has no such log"
  if (log.revoked) return "the token of that host was revoked"
  if (log.forked) return "the log of that host is forked"
  if (!log.takes_words) return "that host takes no words: it joined with --read-only, or has an earlier version"
  if (log.waiting >= maxWaiting) return `${maxWaiting} words wait for that host already`
  return "its end is past, or more than an hour away, or another word has its id"
}

/** The words of operators to the watches of a fleet, each with its answer (spec: fleet#words). */
export class HubWords extends Context.Service<
  HubWords,
  {
    /**
     * Keeps a word of an operator for its host, by the token that was checked. The same word is one, however often it
     * is said.
     */
    readonly say: (
      id: string,
      person: Pick<KnownPerson, "name" | "since">,
      word: SaidWord
    ) => Effect.Effect<WordStanding, WordKept | StoreOut>
    /** The clock of the database, epoch ms. The end of a word is by it. */
    readonly now: Effect.Effect<number, StoreOut>
    readonly standing: (id: string) => Effect.Effect<WordStanding, NoSuchWord | StoreOut>
    /** Reads the words of the last day to a watch, the newest first. Ten at most. */
    readonly toWatch: (log: string, watch: string) => Effect.Effect<ReadonlyArray<ToldWord>, StoreOut>
    /** Reads the words for a log that have no answer, the oldest first. */
    readonly waiting: (enrolledHost: string, log: string) => Effect.Effect<ReadonlyArray<WaitingWord>, StoreOut>
    /** Keeps the answer of a host. The first one counts. */
    readonly answer: (
      enrolledHost: string,
      log: string,
      id: string,
      answer: WordAnswer
    ) => Effect.Effect<void, StoreOut>
  }
>()("@souffleur/hub/HubWords") {
  /** Keeps them in Postgres. */
  static readonly layerSql: Layer.Layer<HubWords, never, HubStore | SqlClient.SqlClient> = Layer.effect(
    HubWords,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // It brings the schema.
      yield* HubStore
      return HubWords.of({
        say: Effect.fn("HubWords.say")(function* (id, { name, since }, { log, seen, until, watch, word }) {
          const words = [id, log, watch, word, seen, name, until]
          yield* orOut(sql.unsafe(say, [...words, since]))
          const [row] = yield* orOut(sql.unsafe<StandingRow>(said, words))
          if (row !== undefined) return standingOf(row)
          const [found] = yield* orOut(sql.unsafe<LogRow>(refusing, [log]))
          return yield* new WordKept({ problem: problemOf(found) })
        }),
        now: Effect.map(
          orOut(sql<{ readonly now: unknown }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`),
          ([clock]) => Number(clock!.now)
        ).pipe(Effect.withSpan("HubWords.now")),
        standing: Effect.fn("HubWords.standing")(function* (id) {
          const [row] = yield* orOut(
            sql<StandingRow>`SELECT reason, note, answered IS NOT NULL AS answered, ${sql.literal(waits)} AS waits, ${sql.literal(left)}
              FROM words WHERE id = ${id}::uuid`
          )
          return row === undefined ? yield* new NoSuchWord() : standingOf(row)
        }),
        toWatch: Effect.fn("HubWords.toWatch")((log, watch) =>
          Effect.map(
            orOut(
              sql.unsafe<
                StandingRow & Pick<ToldWord, "word" | "person"> & Readonly<Record<"seen" | "said_at", unknown>>
              >(told, [log, watch])
            ),
            (rows) =>
              rows.map((row) => ({
                ...standingOf(row),
                word: row.word,
                person: row.person,
                seen: Number(row.seen),
                said: Number(row.said_at)
              }))
          )
        ),
        waiting: Effect.fn("HubWords.waiting")((enrolledHost, log) =>
          Effect.map(
            orOut(
              sql.unsafe<
                Readonly<Record<"id" | "stream" | "person", string>> &
                  Pick<WaitingWord, "word"> &
                  Readonly<Record<"seen" | "left_ms", unknown>>
              >(waiting, [log, enrolledHost])
            ),
            (rows) =>
              rows.map(({ id, left_ms, person, seen, stream, word }) => ({
                id,
                watch: stream,
                word,
                seen: Number(seen),
                person,
                left: Number(left_ms)
              }))
          )
        ),
        answer: Effect.fn("HubWords.answer")((enrolledHost, log, id, { note, reason }) =>
          Effect.asVoid(orOut(sql.unsafe(answer, [id, log, enrolledHost, reason, note])))
        )
      })
    })
  )
}
