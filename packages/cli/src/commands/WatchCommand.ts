import { leastPin, type Pin, Settings, type Target } from "@souffleur/domain"
import { allPublished, commsPublisher, type Restoration } from "@souffleur/supervisor"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"
import type { NamedWatch } from "@souffleur/embed"
import {
  drainTimeout,
  goesOn,
  goingOn,
  knownOf,
  launchable,
  launchOverridesOf,
  layerHost,
  layerStore,
  layerWorld,
  openWatch,
  opening,
  refuseUnsoundComms,
  restored,
  settingsOf,
  undelivered
} from "@souffleur/embed/internal"
import { dryWatch } from "../preview/WatchPreview.ts"
import { namedComms } from "../watching/NamedComms.ts"
import { asked, pick } from "../watching/NamedTarget.ts"
import { restorationOf } from "../watching/RestorationFlag.ts"
import { detachWatch, outlived } from "../watching/Detach.ts"
import { layerNoticeChannels } from "../world/NoticeWiring.ts"
import { BadUsage, Ended } from "../Failure.ts"
import { ready } from "../service/Watchdog.ts"
import { codeOf, watching } from "../watching/WatchSession.ts"
import type { Telling } from "../watching/WatchScreen.ts"
import { detachFlag, dryRunFlag, json, projectDir, quiet, realProject, tellingOf, utcFlag, verbose } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/**
 * Returns the comms file. `null`: no file was named, and none exists (solo). Fails with `BadUsage` where the file
 * cannot be used.
 */
const commsOf = Effect.fnUntraced(function* (named: Option.Option<string>, project: string) {
  const file = yield* namedComms(named, project)
  if (file === null) return null
  yield* Effect.catchTag(
    refuseUnsoundComms(file),
    "CommsUnavailable",
    ({ message }) =>
      new BadUsage({ message: `${message}. Name another with --comms, or make one with "souffleur init"` })
  )
  return file
})

/** The way in which a watch is asked for. */
interface Said {
  readonly observe: boolean
  readonly forced: boolean
  /** Another souffleur, which outlives this one, is to watch. */
  readonly detaching: boolean
}

interface WatchOptions {
  readonly project: string
  /** `null`: solo. */
  readonly comms: string | null
  /** The watch that goes on. */
  readonly known: Option.Option<NamedWatch>
  readonly target: Option.Option<Target>
  readonly said: Said
  readonly guarding: { readonly guardian: boolean; readonly restored: Option.Option<Restoration> }
  readonly telling: Telling
  readonly pin?: Pin
}

/** Reports an agent that cannot be launched now, and not after the death of a Conductor. */
const needed = Effect.flatMap(Settings, (settings) =>
  Effect.catchTag(launchable(settings), "AgentNotFound", (error) =>
    settings.agentCommand === agentKind.program
      ? Console.error(`warning: nothing could be launched: ${error.problem}`)
      : Effect.fail(error)
  )
)

/** Opens a watch, or goes on with a known one, to its end. Returns the exit code of that end. */
export const watch = Effect.fn("watch")(function* ({
  comms,
  guarding,
  known,
  pin = leastPin,
  project,
  said,
  target,
  telling
}: WatchOptions) {
  if (!said.observe && !Option.exists(known, (one) => one.watch.kind === "command")) yield* needed
  yield* ready
  const late = Option.isNone(known) && Option.isNone(target) ? yield* undelivered(project) : Option.none()
  const ended = Option.orElse(late, () => Option.filter(known, ({ watch }) => watch.phase === "Exited"))
  if (Option.isSome(ended)) {
    const { id, watch } = ended.value
    yield* Console.error(`watch ${id} has ended: ${watch.end}`)
    if (!(yield* allPublished(id, watch.revision))) yield* Effect.timeoutOption(commsPublisher(id), drainTimeout)
    return codeOf(watch)
  }
  const id = Option.isSome(known)
    ? yield* goesOn(known.value, target)
    : yield* openWatch(Option.isSome(target) ? target.value : yield* pick(project), { ...said, project, comms, pin })
  const from = Option.isSome(known) ? known.value.watch.revision : 0
  if (said.detaching) return yield* detachWatch(id, guarding.guardian, telling.how === "json")
  if (Option.isSome(guarding.restored) && !(yield* restored(id, guarding.restored.value, project))) return 1
  return yield* watching(id, { project, comms, from, guardian: guarding.guardian, telling })
})

/** Watches an agent that runs already, or goes on with a watch (spec: command-line#watch). */
export const watchCommand = Command.make(
  "watch",
  {
    target: Argument.String("target").pipe(Argument.withDescription("PID:<pid> SESSION_ID:<id>"), Argument.variadic()),
    pid: Flag.String("pid").pipe(Flag.withDescription("The Conductor's process id"), Flag.optional),
    sessionId: Flag.String("session-id").pipe(Flag.withDescription("The Conductor's session id"), Flag.optional),
    projectDir,
    comms: Flag.String("comms").pipe(
      Flag.withDescription("The comms database (default: comms.db in the project)"),
      Flag.optional
    ),
    observe: Flag.Boolean("observe").pipe(
      Flag.withDescription("Decide and log, never kill or launch"),
      Flag.withDefault(false)
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("This is the Conductor, though evidence says that it is another process, or session"),
      Flag.withDefault(false)
    ),
    guardian: Flag.Boolean("guardian").pipe(
      Flag.withDescription("Keep a second small process that brings souffleur back when it dies or hangs"),
      Flag.withDefault(false)
    ),
    detach: detachFlag,
    outlive: Flag.String("outlive").pipe(
      Flag.withDescription("The pid that asked for --detach"),
      Flag.optional,
      Flag.withHidden
    ),
    restored: Flag.String("restored").pipe(
      Flag.withDescription("A guardian's word: <reason>:<fence>"),
      Flag.optional,
      Flag.withHidden
    ),
    resume: Flag.String("resume").pipe(
      Flag.withDescription("Go on with this watch, of whatever folder"),
      Flag.optional
    ),
    dryRun: dryRunFlag,
    verbose,
    quiet,
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* (flags) {
    const telling = yield* tellingOf(flags)
    const guarding = { guardian: flags.guardian, restored: yield* restorationOf(flags.restored) }
    const target = yield* asked(flags.target, flags.pid, flags.sessionId)
    const here = yield* Project
    if (flags.dryRun) return yield* dryWatch(flags, target, here)
    if (Option.isSome(flags.resume) && Option.isSome(target))
      return yield* new BadUsage({ message: "--resume names a watch, which has its Conductor: leave the other out" })
    // The check comes first: without the means to look at processes there is no watch.
    yield* Effect.provide(Option.isSome(flags.outlive) ? outlived(Number(flags.outlive.value)) : Effect.void, layerHost)
    const known = yield* Effect.provide(knownOf(flags.resume, target, here), layerStore(yield* settingsOf(here)))
    if (flags.force && Option.isSome(known)) {
      const { id } = known.value
      return yield* new BadUsage({
        message: `watch ${id} goes on as it was opened: end it with "souffleur release ${id}", then say --force`
      })
    }
    const project = Option.isSome(known) ? yield* realProject(known.value.watch.project) : here
    const { pin, settings } = Option.isSome(known)
      ? { pin: known.value.watch.pin, settings: yield* goingOn(project, known.value.watch.pin) }
      : yield* opening(project)
    // A watch that goes on keeps its comms, whatever file is in the folder now.
    const comms =
      Option.isSome(known) && Option.isNone(flags.comms)
        ? known.value.watch.comms
        : yield* commsOf(flags.comms, project)
    if (Option.isSome(known) && comms !== known.value.watch.comms) {
      return yield* new BadUsage({
        message: `watch ${known.value.id} goes on with ${known.value.watch.comms ?? "no comms"}: leave --comms out`
      })
    }
    const code = yield* Effect.provide(
      watch({
        project,
        comms,
        known,
        target,
        said: { observe: flags.observe, forced: flags.force, detaching: flags.detach },
        guarding,
        telling,
        pin
      }),
      [layerWorld(settings, project, comms, yield* launchOverridesOf(settings, known)), layerNoticeChannels(settings)]
    )
    if (code !== 0) return yield* new Ended({ code })
  })
).pipe(
  withProject,
  Command.withExamples([
    { command: "souffleur watch --pid 4711 --session-id 8c1d2f60-…", description: "Watch a Conductor that runs" }
  ])
)
