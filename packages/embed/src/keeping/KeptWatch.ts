import {
  Agent,
  type AlreadyWatched,
  ceilingNow,
  Comms,
  defectName,
  defectOf,
  EventLog,
  evolve,
  initial,
  isEnd,
  Launcher,
  load,
  newTrace,
  type PhoneIntent,
  type Recorded,
  type LaunchFailed,
  Settings,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { type LogError, LogUnusable, Refused } from "@souffleur/eventlog"
import { fullDisk, meansFull } from "@souffleur/node"
import {
  lastWords,
  listenToPhone,
  type LostNotice,
  offerButtons,
  reportOfLost,
  sendToAll,
  type TrustedFiles,
  warnOfLost
} from "@souffleur/process"
import {
  allPublished,
  attended,
  attendedHere,
  commsPublisher,
  type Fenced,
  forget,
  notifier,
  own,
  supervise,
  takePress
} from "@souffleur/supervisor"
import {
  Cause,
  Context,
  Effect,
  Exit,
  Fiber,
  type FileSystem,
  Option,
  type Path,
  type PlatformError,
  Ref,
  Scope,
  Stream
} from "effect"
import { remark } from "../Remark.ts"
import { numbersTeller, tellNumbers } from "../metrics/MetricsTeller.ts"
import { farewell, traceTeller } from "../trace/TraceTeller.ts"
import { keptAwake } from "./Awake.ts"
import { guarded } from "./GuardianKeeper.ts"
import { sweep } from "./Leftovers.ts"
import { logProblem } from "./LogProblem.ts"
import type { WatchPorts } from "../world/Parts.ts"
import { fallenSilent } from "./Silence.ts"
import { goesOnByItself, type NeedsPerson, untilNeeded } from "./NeedsPerson.ts"
import { deliverUndelivered, drainTimeout } from "./Undelivered.ts"
import { WatchDefect } from "./WatchDefect.ts"

/**
 * What can go wrong with a watch that is under way. `AlreadyWatched`: another state folder claimed a new generation
 * first. `Fenced`: another souffleur owns the watch. `WatchDefect`: a defect, or silence, ended its keeping. The log
 * adds its own errors.
 */
export type WatchBroken = AlreadyWatched | Fenced | LogError | Refused | WatchDefect

/** A watch that runs in a scope. When the scope closes, the agent is left as it is, and the watch can be resumed. */
export interface RunningWatch {
  readonly id: string
  /** The revision at which this process took the watch; 0 for a new one. */
  readonly from: number
  /** The state at `from`. */
  readonly before: Watch
  /** Its agent, launches, comms and settings. `Launcher.outputPath` names the file of what a launch prints. */
  readonly ports: Context.Context<WatchPorts>
  /** Reads the state from the log. */
  readonly state: Effect.Effect<Watch, LogError>
  /** The events after `from`, as they are appended, up to the end of the watch. */
  readonly events: Stream.Stream<Recorded, LogError>
  /**
   * Tells each event after `from`, with the state after it, to the end of the watch. If `tell` dies, the telling starts
   * again after the last told event. The third death in a row is its last, and becomes an event.
   */
  readonly narrate: (tell: (recorded: Recorded, after: Watch) => Effect.Effect<void>) => Effect.Effect<void>
  /**
   * Waits for the end of the watch, and returns its final state. Fails with `NeedsPerson` where the watch comes to none
   * by itself. It is kept then, and its end can be awaited again.
   */
  readonly awaitEnd: Effect.Effect<Watch, NeedsPerson | WatchBroken>
  /** Waits for the end of the watch also while it needs a person, however long. */
  readonly ended: Effect.Effect<Watch, WatchBroken>
}

const watchPorts = Effect.map(Effect.context<WatchPorts>(), Context.pick(Agent, Comms, Launcher, Settings))

/** A watch to keep. */
export interface KeepOrder<R> {
  readonly project: string
  /** `null`: solo. */
  readonly comms: string | null
  /** The revision at which the watch is taken; 0 for a new one. */
  readonly from: number
  /** Starts a guardian of this process, and returns its pid. Absent: there is none. */
  readonly guardian?: Effect.Effect<number, LaunchFailed | PlatformError.PlatformError, R>
}

const isEnded = (error: unknown): error is Refused => error instanceof Refused && error.reason === "ended"

/** A first launch that a full disk leaves undecided stays so: the log has no room for more either. */
const fullAsUnusable = Effect.catchDefect((defect) =>
  meansFull(defect) ? Effect.fail(new LogUnusable({ reason: "full", problem: fullDisk })) : Effect.die(defect)
)

/** Follows the owned watch to its end, with all that reports on it. */
const looking = Effect.fnUntraced(function* <R>(
  { fence, ref }: { readonly fence: number; readonly ref: WatchRef },
  { comms, guardian, project }: KeepOrder<R>
) {
  const { id } = ref
  if (guardian !== undefined) yield* Effect.forkScoped(attendedHere("keeper of the guardian", guarded(ref, guardian)))
  const publishing = comms === null ? Effect.void : attended(ref, "publisher", commsPublisher(id))
  const telling = yield* Effect.forkScoped(publishing)
  const spoken = yield* Effect.context<Agent | Launcher | TrustedFiles>()
  // A watch that has ended takes no event any more.
  const lost = (one: LostNotice) =>
    Effect.catch(ref.dispatch({ _tag: "ReportNoticeLost", ...reportOfLost(one) }), () => warnOfLost(one))
  const operated = yield* Effect.context<
    EventLog | FileSystem.FileSystem | Launcher | Path.Path | Settings | TrustedFiles
  >()
  const phone = {
    log: yield* EventLog,
    stream: id,
    subject: { watch: id, project },
    dispatch: (intent: PhoneIntent) => Effect.provideContext(takePress(id, intent), operated)
  }
  const notices = notifier(id, project, {
    lastWords: (watch) => Effect.provideContext(lastWords(watch), spoken),
    lost,
    offer: offerButtons(phone)
  })
  const noticing = yield* Effect.forkScoped(attended(ref, "notifier", notices))
  yield* Effect.forkScoped(attendedHere("listener of presses", listenToPhone(phone, (yield* load(id)).revision)))
  yield* Effect.forkScoped(attendedHere("teller of numbers", numbersTeller))
  yield* Effect.forkScoped(attendedHere("keeper of the machine", keptAwake(goesOnByItself(id))))
  const tracing = yield* Effect.forkScoped(attendedHere("teller of traces", traceTeller(id)))
  if (comms !== null) yield* deliverUndelivered(comms)
  yield* Effect.forkScoped(
    attendedHere(
      "bound of outputs",
      Launcher.use(({ bound }) => bound(id))
    )
  )
  // A word may have ended the watch since it was taken. Its end is what is found below then.
  yield* Effect.catchIf(ceilingNow(ref.dispatch), isEnded, () => Effect.void)
  const last = yield* fullAsUnusable(supervise(ref, fence))
  yield* forget(last)
  yield* Effect.timeoutOption(Fiber.awaitAll([telling, noticing]), drainTimeout)
  yield* Effect.timeoutOption(Effect.all([Fiber.await(tracing), tellNumbers], { concurrency: 2 }), farewell)
  if (comms !== null && !(yield* allPublished(id, last.revision)))
    yield* remark("info", `${comms} does not say yet that the watch has ended: the next souffleur on it writes that`)
  return last
})

/** Tells a person why nothing looks after the watch now: its log cannot say it. */
const tellOfEnd = (id: string, project: string) => (cause: Cause.Cause<Error>) => {
  const why = logProblem(cause) ?? (Cause.hasDies(cause) ? `of a bug (${defectOf(cause)})` : undefined)
  if (why === undefined) return Effect.void
  const text = `souffleur cannot go on: ${why}`
  const notice = {
    kind: "waiting_for_a_person",
    state: "needs you",
    text,
    words: null,
    next: "souffleur doctor"
  } as const
  return sendToAll({ subject: { watch: id, project }, notice })
}

/** Makes a defect an error of this watch alone: who awaits several watches loses no other with it. */
const defectTyped =
  (id: string) =>
  <A, E, R>(kept: Effect.Effect<A, E, R>) =>
    Effect.catchDefect(kept, (defect) =>
      Effect.fail(
        new WatchDefect({
          watch: id,
          message: `watch ${id} cannot go on because of a bug (${defectName(defect)}): its agent works on, and the watch can be resumed`
        })
      )
    )

/** Tells the events after a state, from the last told one on. */
const narration = Effect.fnUntraced(function* (
  id: string,
  narrated: Ref.Ref<Watch>,
  tell: (recorded: Recorded, after: Watch) => Effect.Effect<void>
) {
  const log = yield* EventLog
  const before = yield* Ref.get(narrated)
  yield* log.changes(id, before.revision).pipe(
    Stream.mapAccum(
      () => before,
      (watch, recorded) => {
        const after = evolve(watch, recorded.event)
        return [after, [{ recorded, after }]] as const
      }
    ),
    Stream.tap(({ after, recorded }) => tell(recorded, after)),
    Stream.tap(({ after }) => Ref.set(narrated, after)),
    Stream.takeUntil(({ after }) => after.phase === "Exited"),
    Stream.runDrain
  )
})

/**
 * Owns a watch and looks after it in a fiber of this scope. What the watch holds is released when it ends or the scope
 * closes. Fails with `AlreadyWatched` while another souffleur owns the watch.
 */
export const keepWatch = Effect.fn("keepWatch")(function* <R>(id: string, order: KeepOrder<R>) {
  const log = yield* EventLog
  const outer = yield* Effect.scope
  const inner = yield* Scope.fork(outer)
  const begins = Effect.gen(function* () {
    yield* sweep()
    // The state is read before the watch is owned, so that the event of that is told too.
    const before = order.from === 0 ? initial : yield* load(id)
    const owned = yield* own(id)
    const trace = yield* newTrace({})
    const kept = (owned: { readonly fence: number; readonly ref: WatchRef }) =>
      Effect.raceFirst(
        Effect.map(looking(owned, order), Option.some),
        Effect.as(fallenSilent(id, owned.fence), Option.none<Watch>())
      )
    const fiber = yield* Effect.onExit(kept(owned), (exit) => Scope.close(inner, exit)).pipe(
      Effect.flatMap(function again(last): ReturnType<typeof kept> {
        return Option.isSome(last)
          ? Effect.succeed(last)
          : Effect.flatMap(Effect.scoped(Effect.flatMap(own(id), kept)), again)
      }),
      Effect.map(Option.getOrThrow),
      Effect.withSpan("looking", trace),
      Effect.tapCause(tellOfEnd(id, order.project)),
      Effect.forkIn(outer)
    )
    const ended = defectTyped(id)(Fiber.join(fiber))
    const context = yield* Effect.context<EventLog>()
    return {
      id,
      from: before.revision,
      before,
      ports: yield* watchPorts,
      state: Effect.provideContext(load(id), context),
      events: Stream.takeUntil(log.changes(id, before.revision), ({ event }) => isEnd(event)),
      narrate: (tell) =>
        Effect.contextWith((app: Context.Context<never>) =>
          Effect.flatMap(Ref.make(before), (narrated) =>
            // The spans of what an app tells are the app's.
            attended(
              owned.ref,
              "narrator",
              narration(id, narrated, (...told) => Effect.updateContext(tell(...told), () => app))
            )
          ).pipe(Effect.provideContext(context))
        ),
      awaitEnd: Effect.raceFirst(ended, Effect.provideContext(untilNeeded(id), context)),
      ended
    } satisfies RunningWatch
  })
  return yield* begins.pipe(
    Effect.provideService(Scope.Scope, inner),
    Effect.onError((cause) => Scope.close(inner, Exit.failCause(cause)))
  )
})

/** Returns a watch that has ended already. */
export const endedWatch = (id: string, watch: Watch) =>
  Effect.map(watchPorts, (ports): RunningWatch => ({
    id,
    from: watch.revision,
    before: watch,
    ports,
    state: Effect.succeed(watch),
    events: Stream.empty,
    narrate: () => Effect.void,
    awaitEnd: Effect.succeed(watch),
    ended: Effect.succeed(watch)
  }))
