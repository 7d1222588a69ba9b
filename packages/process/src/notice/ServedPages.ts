import { isOver, ProcessIdentity, Processes } from "@souffleur/domain"
import { Clock, Effect, Schema } from "effect"
import { replaceDurably } from "../file/DurableFile.ts"
import { keptOfPage, pageFile } from "./PageFile.ts"

/** The name of the file that says where pages of a state folder are served. */
const servedFile = "page.served"

/** Milliseconds within which a page that ended may begin again with the same secrets. */
const restartMillis = 60_000

const Served = Schema.Struct({
  origin: Schema.String,
  process: ProcessIdentity,
  /** Leads to the secrets of browsers that were let in. */
  number: Schema.String,
  /** When it ended, in epoch ms; `null`: it runs, or it was killed. */
  endedAt: Schema.NullOr(Schema.Finite)
})
type Served = typeof Served.Type

const Pages = Schema.fromJsonString(Schema.Array(Served))

/** Reads the pages that are kept. A file that cannot be read has none. */
const kept = Effect.fnUntraced(
  function* (stateDir: string) {
    return yield* Schema.decodeEffect(Pages)(yield* keptOfPage(stateDir, servedFile))
  },
  Effect.orElseSucceed((): ReadonlyArray<Served> => [])
)

const keep = Effect.fnUntraced(function* (stateDir: string, pages: ReadonlyArray<Served>) {
  const text = yield* Effect.orDie(Schema.encodeEffect(Pages)(pages))
  yield* replaceDurably(yield* pageFile(stateDir, servedFile), `${text}\n`)
})

const runs = ({ endedAt, process }: Served) =>
  endedAt === null
    ? Processes.use(({ condition }) => Effect.map(condition(process), (one) => !isOver(one)))
    : Effect.succeed(false)

const endedJustNow = ({ endedAt }: Served) =>
  Effect.map(Clock.currentTimeMillis, (now) => endedAt !== null && endedAt <= now && now < endedAt + restartMillis)

/**
 * Keeps that this process serves a page, until the scope closes. Returns the number that leads to the secrets of its
 * browsers. It is `fresh`, unless the page at this origin ended within the last minute. After a longer gap another user
 * may have had the port, and the secrets of a browser. Fails with `PlatformError`.
 */
export const keepPageServed = Effect.fn("keepPageServed")(function* (stateDir: string, origin: string, fresh: string) {
  const { self } = yield* Processes
  const before = (yield* kept(stateDir)).find((page) => page.origin === origin)
  const number = before !== undefined && (yield* endedJustNow(before)) ? before.number : fresh
  const page: Served = { origin, process: self, number, endedAt: null }
  const keepBeside = Effect.fnUntraced(function* (page: Served) {
    const others = (yield* kept(stateDir)).filter((other) => other.origin !== origin)
    const rest = yield* Effect.filter(others, (other) =>
      Effect.zipWith(runs(other), endedJustNow(other), (a, b) => a || b)
    )
    yield* keep(stateDir, [...rest, page])
  })
  yield* keepBeside(page)
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Clock.currentTimeMillis, (endedAt) => keepBeside({ ...page, endedAt })).pipe(Effect.ignore)
  )
  return number
})

/** Returns the origin of the newest page of this state folder that runs, at a port or at any. `null`: none runs. */
export const pageServedNow = Effect.fn("pageServedNow")(function* (stateDir: string, port?: number) {
  const pages = (yield* kept(stateDir)).filter(({ origin }) => port === undefined || origin.endsWith(`:${port}`))
  return (yield* Effect.filter(pages, runs)).at(-1)?.origin ?? null
})
