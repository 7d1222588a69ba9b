import { attempts, Claims, isSeen, type LeftAlone, leftAlone, Settings } from "@souffleur/domain"
import { type NamedWatch, Souffleur } from "@souffleur/embed"
import { hasGuardian } from "@souffleur/embed/internal"
import { Console, Duration, Effect, Ref, Schedule } from "effect"
import { ready } from "../service/Watchdog.ts"
import { WorksUnread } from "../world/CommandEnvironment.ts"
import { type Resumed, resumed, tell, watchedBy } from "./ResumeWatch.ts"

/** The starts in a row that did not come to own a watch, under the fence that stayed. */
type FailedStarts = ReadonlyMap<string, { readonly fence: number; readonly count: number }>

const because: Readonly<Record<LeftAlone, string>> = {
  left: "a person ended its souffleur, so none is started",
  guarded: "its souffleur died, and its guardian looks after it",
  "gave up": `its souffleur died ${attempts} times without progress, so none is started`,
  "never came": `no souffleur came to watch it in ${attempts} starts, so none is started`
}

/**
 * Starts a souffleur for a watch that has none, and bounds that as a guardian does (spec: behaviour#service). The
 * started souffleur counts the restoration in the log. A guardian that lives does it by itself.
 */
const keptOn = Effect.fnUntraced(function* (named: NamedWatch, failed: FailedStarts) {
  const { id, watch } = named
  const { owner } = watch
  const { isDead, self } = yield* Claims
  const dead = owner !== undefined && (yield* isDead(owner))
  const before = failed.get(id)
  const why = leftAlone(watch, {
    dead,
    guarded: dead && (yield* hasGuardian(id)),
    failedStarts: before?.fence === watch.fence ? before.count : 0,
    self
  })
  if (why !== undefined) {
    const again = why === "guarded" ? "" : `: "souffleur resume ${id}" tries it again`
    return { watch: id, outcome: "left alone", pid: null, message: `${because[why]}${again}` } satisfies Resumed
  }
  if (owner === undefined || dead) return yield* resumed(named, dead ? watch.fence : undefined)
  // An owner that dies after this look is for the next one, so that each restoration is counted.
  if (isSeen(owner, self)) return watchedBy(id, owner)
  // Its refusal says what to do, and is no start that failed.
  return { ...(yield* resumed(named, undefined)), outcome: "left alone" } satisfies Resumed
})

/** Returns the failed starts after a look. */
const failedAfter = (failed: FailedStarts, all: ReadonlyArray<readonly [NamedWatch, Resumed]>): FailedStarts =>
  new Map(
    all.flatMap(([{ id, watch }, { outcome }]) => {
      const { fence } = watch
      const before = failed.get(id)
      const count = (before?.fence === fence ? before.count : 0) + (outcome === "failed" ? 1 : 0)
      return count === 0 ? [] : [[id, { fence, count }] as const]
    })
  )

/**
 * Looks again and again for watches without a souffleur, and tells what is new. A log that cannot be used for a while
 * is told once. Fails with `LogUnusable` where the reason does not pass.
 */
export const keepWatches = Effect.gen(function* () {
  yield* yield* WorksUnread
  const { watcherInterval } = yield* Settings
  const souffleur = yield* Souffleur
  const announced = yield* Ref.make<ReadonlyMap<string, string>>(new Map())
  const failed = yield* Ref.make<FailedStarts>(new Map())
  const trouble = yield* Ref.make<string | undefined>(undefined)
  const look = Effect.gen(function* () {
    const known = yield* Ref.get(failed)
    const all = yield* Effect.forEach(yield* souffleur.living, (named) =>
      Effect.map(keptOn(named, known), (one) => [named, one] as const)
    )
    yield* Ref.set(failed, failedAfter(known, all))
    yield* Ref.set(trouble, undefined)
    const results = all.map(([, one]) => one)
    const before = yield* Ref.getAndSet(announced, new Map(results.map(({ message, watch }) => [watch, message])))
    yield* tell(results.filter(({ message, watch }) => before.get(watch) !== message))
  })
  const once = Effect.catchIf(
    look,
    (error) => error._tag === "LogUnusable" && error.isPassing,
    Effect.fnUntraced(function* ({ message }) {
      if ((yield* Ref.getAndSet(trouble, message)) === message) return
      yield* Console.error(`warning: ${message}; the next look is in ${Duration.format(watcherInterval)}`)
    })
  )
  yield* once
  yield* ready
  return yield* Effect.repeat(once, Schedule.spaced(watcherInterval))
})
