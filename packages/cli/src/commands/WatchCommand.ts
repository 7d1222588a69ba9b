import type { Target } from "@souffleur/domain"
import { type NamedWatch, Souffleur } from "@souffleur/embed"
import {
  layerAgentFiles,
  layerHost,
  layerSouffleur,
  layerSouffleurReading,
  layerStoreReading,
  refuseChange,
  settingsOf,
  undelivered,
  unfinished
} from "@souffleur/embed/internal"
import { Effect, Layer, Option, Path } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadUsage, Ended } from "../Failure.ts"
import { paint } from "../Printing.ts"
import { printPreview } from "../preview/PreviewText.ts"
import { ready } from "../service/Watchdog.ts"
import { hookedSession } from "../watching/HookedSession.ts"
import { detachedLine, outlived, tellDetached } from "../watching/DetachedWatch.ts"
import { asked, pick } from "../watching/NamedTarget.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { restorationOf } from "../watching/RestorationFlag.ts"
import { orTrusted } from "../person/TrustQuestion.ts"
import { guardedBy, printWatch } from "../watching/WatchSession.ts"
import { Environment, WorksUnread } from "../world/CommandEnvironment.ts"
import { detachFlag, dryRunFlag, json, projectDir, quiet, realProject, tellingOf, utcFlag, verbose } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/** The flags that say which watch is meant. */
interface Named {
  readonly resume: Option.Option<string>
  readonly comms: Option.Option<string>
  readonly observe: boolean
  readonly force: boolean
  readonly dryRun: boolean
}

/**
 * Returns the watch to resume: the one that `--resume` names, else the unfinished one of that session or this folder.
 * Without one, it is this folder's newest ended watch of which comms has not heard everything.
 */
const knownOf = Effect.fnUntraced(function* (
  { dryRun, resume }: Named,
  target: Option.Option<Target>,
  project: string
) {
  const souffleur = yield* Souffleur
  if (Option.isSome(resume)) return Option.some(yield* souffleur.find(resume.value))
  if (Option.isSome(target)) return yield* unfinished({ sessionId: target.value.sessionId })
  const known = yield* unfinished({ project })
  return Option.isSome(known) || dryRun ? known : yield* undelivered(project)
})

/**
 * Returns the order for the service: a watch to resume, or a Conductor that runs already. `ended`: that watch is over,
 * and only comms may have to hear the rest.
 */
const orderOf = Effect.fnUntraced(function* (flags: Named, target: Option.Option<Target>, project: string) {
  const souffleur = yield* Souffleur
  const { cwd } = yield* Environment
  const path = yield* Path.Path
  const { force, observe } = flags
  const known: Option.Option<NamedWatch> = yield* knownOf(flags, target, project)
  const comms = Option.getOrUndefined(Option.map(flags.comms, (file) => path.resolve(cwd, file)))
  if (Option.isSome(known)) {
    const { id, watch } = known.value
    yield* realProject(watch.project)
    yield* refuseChange(known.value, { comms, force })
    if (Option.isNone(target)) return { order: { watch: id }, ended: watch.phase === "Exited" }
  }
  const { pid, sessionId } = Option.isSome(target)
    ? target.value
    : yield* pick(yield* souffleur.sessions(project), project)
  const order = { project, pid, sessionId, observe, force, ...(comms === undefined ? {} : { comms }) }
  return { order, ended: false }
})

/** Watches an agent that runs already, or resumes a watch (spec: command-line#watch). */
export const watchCommand = Command.make(
  "watch",
  {
    target: Argument.String("target").pipe(
      Argument.withDescription("PID:<pid> SESSION_ID:<id>; -: they are a line of standard input"),
      Argument.variadic()
    ),
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
      Flag.withDescription("Believe this process and session, whatever the evidence says"),
      Flag.withDefault(false)
    ),
    guardian: Flag.Boolean("guardian").pipe(
      Flag.withDescription("Keep a second small process that brings souffleur back when it dies or hangs"),
      Flag.withDefault(false)
    ),
    detach: detachFlag,
    begun: Flag.Boolean("begun").pipe(
      Flag.withDescription("A hook's word: the session that runs this has begun"),
      Flag.withDefault(false),
      Flag.withHidden
    ),
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
      Flag.withDescription("Go on with this watch, whatever its folder"),
      Flag.optional
    ),
    dryRun: dryRunFlag,
    verbose,
    quiet,
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* (flags) {
    const restored = Option.getOrUndefined(yield* restorationOf(flags.restored))
    const project = yield* Project
    const settings = yield* settingsOf(project)
    const target = yield* flags.begun
      ? Effect.provide(hookedSession(project), Layer.provideMerge(layerAgentFiles(settings), layerHost))
      : asked(flags.target, flags.pid, flags.sessionId)
    if (flags.begun && Option.isNone(target)) return
    if (Option.isSome(flags.resume) && Option.isSome(target))
      return yield* new BadUsage({ message: "--resume names a watch, which has its Conductor: leave the other out" })
    if (flags.force)
      yield* Effect.provide(personOnly("--force"), [
        layerStoreReading(settings),
        Layer.provideMerge(layerAgentFiles(settings), layerHost)
      ])
    if (flags.dryRun) {
      const { colour } = yield* Environment
      const foreseen = Effect.gen(function* () {
        const souffleur = yield* Souffleur
        return yield* souffleur.preview((yield* orderOf(flags, target, project)).order)
      })
      const found = yield* Effect.provide(foreseen, layerSouffleurReading(settings))
      return yield* printPreview(found, { asJson: flags.json, brush: paint(colour), whole: flags.verbose })
    }
    const watching = Effect.gen(function* () {
      const souffleur = yield* Souffleur
      if (Option.isSome(flags.outlive)) yield* outlived(Number(flags.outlive.value))
      const { ended, order } = yield* orderOf(flags, target, project)
      if (flags.detach && !ended) {
        return yield* tellDetached(
          yield* orTrusted(project, souffleur.detach(order, { line: yield* detachedLine(flags) })),
          flags.json
        )
      }
      yield* yield* WorksUnread
      yield* ready
      const keeping = yield* guardedBy(flags.guardian)
      const watch = yield* "watch" in order
        ? souffleur.resume(order.watch, { ...keeping, ...(restored === undefined ? {} : { restored }) })
        : orTrusted(project, souffleur.watch({ ...order, ...keeping }))
      return yield* printWatch(watch, yield* tellingOf(flags))
    })
    const code = yield* Effect.scoped(watching).pipe(
      Effect.provide(layerSouffleur(settings)),
      // The log and the remark of the service say why.
      Effect.catchTag("NotRestored", () => Effect.succeed(1)),
      Effect.catchTag(
        "CommsUnavailable",
        ({ message }) =>
          new BadUsage({ message: `${message}. Name another with --comms, or make one with "souffleur init"` })
      )
    )
    if (code !== 0) return yield* new Ended({ code })
  })
).pipe(
  withProject,
  Command.withExamples([
    { command: "souffleur watch --pid 4711 --session-id 8c1d2f60-…", description: "Watch a Conductor that runs" }
  ])
)
