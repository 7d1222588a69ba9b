import {
  beatMirrored,
  ceilingNow,
  CycleSettings,
  newTrace,
  Settings,
  tellLimits,
  untraced,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { forgetHandoffFile } from "@souffleur/process"
import { Effect, Schedule } from "effect"
import { type Entry, FailedClosed, type Provider } from "./Provider.ts"
import { readRequest } from "./steps/Request.ts"
import { trimExport } from "./steps/Fingerprint.ts"
import { exportConversation } from "./steps/ExportConversation.ts"
import { stopAll, stopConductor } from "./steps/StopConductor.ts"
import { Cycle } from "./steps/Step.ts"
import { WorkCheck } from "./program/WorkCheck.ts"

type Recover<R> = ReturnType<Provider<R>["recover"]>
type Routed<R> = Effect.Effect<
  Effect.Success<Recover<R>> & { readonly provider: string },
  Exclude<Effect.Error<Recover<R>>, { readonly _tag: "Escalated" }>,
  Effect.Services<Recover<R>>
>

/**
 * Runs the providers in their order. A provider that escalates hands on to the next. Fails with `FailedClosed` after
 * the last.
 */
const route = <R>(providers: ReadonlyArray<Provider<R>>, watch: Watch, entry: Entry): Routed<R> => {
  const [first, ...rest] = providers
  if (first === undefined) return Effect.fail(new FailedClosed({ stage: "providers", message: "no provider applies" }))
  return first.recover(watch, entry).pipe(
    Effect.map((successor) => ({ provider: first.name, ...successor })),
    Effect.catchTag(
      "Escalated",
      Effect.fnUntraced(function* ({ alreadyKilled, message, stage }) {
        const [next] = rest
        if (next === undefined) return yield* new FailedClosed({ stage, message })
        const { number: cycle, watch: ref } = yield* Cycle
        yield* ref.dispatch({
          _tag: "Escalate",
          cycle,
          from: first.name,
          to: next.name,
          stage,
          message,
          alreadyKilled
        })
        return yield* route(rest, watch, { ...entry, alreadyKilled })
      })
    )
  )
}

/**
 * Ends a watch after three ends without progress: nothing is launched, and a person gets the export
 * (spec: behaviour#retries).
 */
const exportForPerson = Effect.fn("Recovery.exportForPerson")(function* (watch: Watch, ref: WatchRef, cycle: number) {
  // Reading does no harm, so a Conductor that could not be stopped is exported too.
  const stopped = Effect.catchTag(stopConductor(watch), "FailedClosed", () => Effect.void)
  const saved = exportConversation(watch).pipe(
    // A person can read an export that is too long for a prompt.
    Effect.tap((exported) => Effect.catchTag(trimExport(watch, exported), "NoExport", () => Effect.void)),
    Effect.map(({ path }) => path)
  )
  const exportPath = yield* stopped.pipe(
    Effect.andThen(watch.kind === "agent" ? saved : Effect.succeed(null)),
    Effect.catchTag("NoExport", () => Effect.succeed(null))
  )
  yield* ref.dispatch({ _tag: "ExhaustRetries", cycle, exportPath })
})

/**
 * Stops the Conductor and ends its watch, as a person or a limit of the job has it: nothing is launched (spec:
 * behaviour#stop-by-a-person).
 */
const stopForGood = Effect.fn("Recovery.stopForGood")(function* (watch: Watch, ref: WatchRef, cycle: number) {
  yield* stopAll(watch)
  yield* ref.dispatch({ _tag: "ConcludeStop", cycle })
})

/** Has the user's program say whether the work is done (spec: behaviour#done-by-a-program). */
const checkWork = Effect.fn("Recovery.checkWork")(function* (ref: WatchRef, cycle: number) {
  const { ask } = yield* WorkCheck
  const found = yield* Effect.catchTag(
    ask,
    "ProgramFailed",
    ({ message }) => new FailedClosed({ stage: "check", message: `the program of --until: ${message}` })
  )
  yield* ref.dispatch({ _tag: "ConcludeCheck", cycle, ...found })
})

/**
 * Ends the process of an agent that has finished its turn and rests (spec: behaviour#an-agent-that-does-not-exit). Its
 * next watcher judges that end.
 */
const endLingering = Effect.fn("Recovery.endLingering")(function* (watch: Watch, ref: WatchRef, cycle: number) {
  yield* stopConductor(watch)
  yield* ref.dispatch({ _tag: "ConcludeEnding", cycle })
})

/** Returns the providers that apply to this cycle under these settings, in the order in which they are tried. */
export const waysOf = <R>(
  providers: ReadonlyArray<Provider<R>>,
  watch: Watch,
  settings: Settings["Service"]
): ReadonlyArray<Provider<R>> =>
  providers.filter(({ applies, of = "agent" }) => of === watch.kind && applies?.(watch, settings) !== false)

const relaunch = Effect.fn("Recovery.relaunch")(function* <R>(
  watch: Watch,
  ref: WatchRef,
  cycle: number,
  providers: ReadonlyArray<Provider<R>>
) {
  const request = yield* readRequest(watch)
  const settings = yield* Settings
  const successor = yield* route(waysOf(providers, watch, settings), watch, { alreadyKilled: false, request })
  // The launch is recorded, so the words are not needed again. After the next line no souffleur would come back to
  // remove them.
  if (watch.handoff !== undefined) yield* forgetHandoffFile(settings.stateDir, watch.handoff.request)
  yield* ref.dispatch({ _tag: "Relaunched", cycle, ...successor })
})

const inOwnTrace = <A, E, R>(effect: Effect.Effect<A, E, R>, _: WatchRef, { generation }: Watch) =>
  Effect.flatMap(newTrace({ "souffleur.generation": generation }), (trace) =>
    Effect.withSpan(effect, "recovery", trace)
  )

/**
 * Runs one recovery cycle, from its last state in the log (spec: behaviour#cycle). It beats in the watcher's place. It
 * always ends with an event: relaunched, failed closed, retries exhausted, or complete after all.
 */
export const recovery = Effect.fnUntraced(function* <R>(
  ref: WatchRef,
  watch: Watch,
  providers: ReadonlyArray<Provider<R>>
) {
  const { cycle, purpose } = watch.recovery!
  const settings = yield* yield* CycleSettings
  const beating = untraced(beatMirrored(ref.id, `recovery/${cycle}`)).pipe(
    Effect.repeat(Schedule.spaced(settings.watcherInterval)),
    Effect.andThen(Effect.never)
  )
  const recovering = Effect.gen(function* () {
    // A request of the config file for a higher ceiling is reported even when nothing is launched.
    yield* ceilingNow(ref.dispatch)
    if (purpose === "relaunch") {
      yield* tellLimits(ref)
      return yield* relaunch(watch, ref, cycle, providers)
    }
    if (purpose === "check") return yield* checkWork(ref, cycle)
    if (purpose === "end") return yield* endLingering(watch, ref, cycle)
    yield* purpose === "stop" ? stopForGood(watch, ref, cycle) : exportForPerson(watch, ref, cycle)
  })
  yield* Effect.raceFirst(recovering, beating).pipe(
    Effect.catchTag("Completed", () => Effect.asVoid(ref.dispatch({ _tag: "CancelForCompletion", cycle }))),
    Effect.catchTag("FailedClosed", ({ message, stage }) =>
      Effect.asVoid(ref.dispatch({ _tag: "FailClosed", cycle, stage, message }))
    ),
    Effect.provideService(Cycle, { number: cycle, watch: ref }),
    Effect.provideService(Settings, settings)
  )
}, inOwnTrace)
