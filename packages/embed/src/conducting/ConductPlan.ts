import { Agent, flagsOf, kindOf, Launcher, type Pin } from "@souffleur/domain"
import {
  conduct,
  conductOn,
  launchWords,
  type LoadedPlan,
  loadPlan,
  moveRunHere,
  modelInWords,
  openRun,
  roleChoice,
  ownFiles,
  PlanContext,
  GatePort,
  GitPort,
  hostGate,
  hostPullRequests,
  PullRequestPort,
  hostTrees,
  TreePort,
  isRunOver
} from "@souffleur/plan"
import { Effect, Layer, Option, Path } from "effect"
import { runNeeds } from "../explain/RunSentence.ts"
import { remark, remarkWarnings } from "../Remark.ts"
import type { ConductOptions } from "../SouffleurOptions.ts"
import { spansOf } from "../trace/OwnSpans.ts"
import { refuseUnready } from "../preflight/Preflight.ts"
import { RulesQuestion } from "../preflight/PreflightCheck.ts"
import { withinSession } from "../trust/CallingSession.ts"
import { withheldKeys, withheldNote } from "../watching/WithheldKeys.ts"
import { watchedElsewhere } from "../watching/WatchedElsewhere.ts"
import { Parts } from "../world/Parts.ts"
import { defaultBranchNote, defaultBranchOut } from "./DefaultBranch.ts"
import { environmentOf, finishingOf } from "./FinishingCommand.ts"
import { castOf, type NamedPlan, namedPlan } from "./NamedPlan.ts"
import { programsTrusted, refusePrograms } from "./PlanPrograms.ts"
import { type CastAgent, chosenFor } from "./RoleAgent.ts"
import { runIdOf } from "./FindPlan.ts"
import { keepRun } from "./KeptRun.ts"
import { oncePossible } from "./RunHindrance.ts"

/** A plan that is read, with the pin and the agents of its run. */
interface Loaded extends NamedPlan {
  readonly pin: Pin
  readonly cast: ReadonlyArray<CastAgent>
}

/** Returns the files of souffleur's own in the work tree of a run. */
const ownFilesOf = Effect.fnUntraced(function* ({ path: plan }: LoadedPlan, statePath: string, project: string) {
  const path = yield* Path.Path
  return yield* ownFiles(statePath, [plan, path.join(project, "comms.db")])
})

/** Begins or resumes the run of a plan, with the agents and the launches in the context. */
const begin = Effect.fnUntraced(function* (
  { cast, known, loaded, pin, statePath }: Loaded,
  { attended = false, moved = false, project, questions = true, restored = false, waiting, ...said }: ConductOptions
) {
  const { agents, permission } = chosenFor(said, known?.run)
  const path = yield* Path.Path
  const gits = yield* GitPort
  const agent = yield* Agent
  const { outputPath } = yield* Launcher
  const parts = yield* Parts
  const { path: file } = loaded
  const linked = yield* parts.linked(project)
  const kindFor = (role: "finisher" | "implementer", plan: LoadedPlan["plan"]) =>
    kindOf(parts.agent, roleChoice(agents, plan.agents, role).agent ?? agent.name)
  const planNow = Effect.fnUntraced(function* (loaded: LoadedPlan) {
    const { plan } = loaded
    const finishing = yield* finishingOf(loaded, { project, variables: parts.variables })
    const skillPrompt =
      plan.finish._tag === "Skill" ? kindFor("finisher", plan).skillPrompt?.(plan.finish.skill) : undefined
    return { plan, finishing, ...(skillPrompt === undefined ? {} : { skillPrompt }) }
  })
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof loadPlan>>>()
  const audience = { project, comms: Option.map(linked, ({ comms }) => comms) }
  const comms = path.join(project, "comms.db")
  const own = yield* ownFilesOf(loaded, statePath, project)
  const opens = Effect.gen(function* () {
    const git = yield* gits.open(project, own)
    const newId = runIdOf(project, file)
    return { ...(yield* openRun(loaded, { project, statePath, git, newId, pin, questions, restored })), git }
  })
  const gate = yield* hostGate({ project, environment: environmentOf(parts.variables) })
  const pullRequests = yield* hostPullRequests(project)
  const settings = cast.flatMap((one) => kindOf(parts.agent, one.agent).projectFiles ?? [])
  const trees = yield* hostTrees(project, own, settings)
  const waits = waiting !== undefined && known !== undefined
  if (moved && known !== undefined) yield* moveRunHere(known.id)
  const { from, git, id } = yield* waits ? oncePossible(known.id, audience, opens) : opens
  const by = cast
    .map(
      ({ agent, effort, fallback, models, role }) =>
        `, ${fallback === true ? "else" : role} by ${agent}${modelInWords({ models, ...(effort === undefined ? {} : { effort }) })}`
    )
    .join("")
  yield* remark("info", `run ${id}${from === 0 ? "" : ` goes on from revision ${from}`}${by}`)
  const withheld = new Set(cast.flatMap(({ command }) => withheldKeys(parts.variables, command.environment)))
  if (known?.run.held) yield* remark("note", `a person holds the run: "souffleur go ${id}" lets it go on`)
  const note = withheldNote([...withheld])
  if (note !== undefined) yield* remark("note", note)
  const onto = from === 0 && loaded.plan.branch === undefined ? yield* defaultBranchOut(git) : null
  if (onto !== null) yield* remark("note", defaultBranchNote(onto))
  const excluded = yield* gits.exclude(git.root, statePath, Option.isSome(linked) ? [comms] : [])
  yield* Effect.forEach(excluded, (sentence) => remark("info", sentence))
  const conducted = {
    ...(yield* planNow(loaded)),
    read: Effect.provideContext(Effect.flatMap(loadPlan(file, project), planNow), services),
    git,
    words: launchWords,
    statePath,
    attended,
    requested: permission,
    agents,
    commitSetting: kindFor("implementer", loaded.plan).commitSetting
  }
  const { implementer = null, reviewer = null } = agents
  return yield* keepRun({
    id,
    chosen: {
      implementer,
      reviewer,
      permission,
      ...(said.deadline === undefined ? {} : { deadline: said.deadline }),
      ...(said.keepsGoing === undefined ? {} : { keepsGoing: said.keepsGoing }),
      ...(said.parallel === undefined ? {} : { parallel: said.parallel })
    },
    from,
    audience,
    link: Option.map(linked, ({ link }) => link),
    isOthers: yield* watchedElsewhere(comms),
    conducting: (ref) => {
      const runs = waiting === undefined ? conduct() : conductOn((run) => waiting(runNeeds(id, run, outputPath), run))
      return runs.pipe(
        Effect.tap((run) => (isRunOver(run) ? gate.clear(id) : Effect.void)),
        Effect.provideService(PlanContext, { ...conducted, ref }),
        Effect.provideService(GatePort, gate),
        Effect.provideService(TreePort, trees),
        Effect.provideService(PullRequestPort, pullRequests)
      )
    }
  }).pipe(spansOf({ project, plan: id }))
})

/**
 * Conducts a plan in this scope, or resumes its unfinished run. Fails with `PlanInvalid`, `StateMisplaced` or
 * `StateForeign` if a file does not fit, with `RoleUnfit` if an agent cannot do its part, with `NotReady` if a new run
 * would surely fail, and with `GitUnusable` if the project is in no usable work tree.
 */
export const conductPlan = Effect.fn("conductPlan")(function* (options: ConductOptions) {
  const parts = yield* Parts
  const { limits = {}, project } = options
  const named = yield* namedPlan(options)
  const { known, loaded } = named
  const cast = castOf(named, options)
  // A start whose agents are unfit is refused before anything is trusted or remarked. A resumed run has its own pin.
  if (known === undefined) {
    const settings = yield* parts.settings(project)
    yield* cast(settings)
    yield* refusePrograms(loaded, settings.stateDir)
    yield* finishingOf(loaded, { project, variables: parts.variables })
  }
  const conducting = yield* parts.conducting({ project, limits: flagsOf(limits), known })
  const { pin, settings } = known === undefined ? yield* withinSession(conducting) : conducting
  const begun = { ...named, pin, cast: yield* cast(settings) }
  yield* remarkWarnings(settings)
  const isNew = known === undefined
  if (isNew) yield* (yield* GitPort).open(project, () => [])
  const trusted = yield* programsTrusted(loaded, settings.stateDir)
  const order = { project, settings, plan: loaded.plan, cast: begun.cast, isNew, trusted }
  yield* refuseUnready(loaded.path, isNew, yield* parts.preflight(order, yield* RulesQuestion))
  const { leftOut } = loaded.understood
  if (known === undefined) yield* Effect.forEach(leftOut, (what) => remark("note", `left out of the plan: ${what}`))
  const begins = begin(begun, options)
  return yield* Effect.provideContext(begins, yield* Layer.build(parts.layerRun({ settings, project })))
})
