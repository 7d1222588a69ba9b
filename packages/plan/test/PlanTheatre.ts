import { assert, it } from "@effect/vitest"
import type { Processes, ResolvedSettings } from "@souffleur/domain"
import { layerSettings } from "@souffleur/testing"
import { runProgram } from "@souffleur/process"
import { HostServices, Processes as HostProcesses } from "@souffleur/node"
import { Effect, FileSystem, Path, type Scope } from "effect"
import {
  GatePort,
  gitOf,
  hostGate,
  hostPullRequests,
  hostTrees,
  type Plan,
  type PlanGate,
  PullRequestPort,
  TreePort
} from "../src/index.ts"
import { type Act, complete, own, planOf, stage } from "./PlanStage.ts"

/** A commit of a test is by somebody, unsigned, and starts no housekeeping. */
const options = ["user.name=A", "user.email=a@localhost", "commit.gpgsign=false", "maintenance.auto=false"].flatMap(
  (setting) => ["-c", setting]
)
const git = (project: string, ...args: ReadonlyArray<string>) =>
  runProgram({
    command: "git",
    args: ["-C", project, ...options, ...args],
    stdin: "",
    within: "30 seconds",
    atMost: 1_000_000
  })

/** A real repository with one commit, and agents that work in it. */
export const theatre = Effect.fnUntraced(function* (
  acts: (work: {
    readonly commits: Act
    readonly project: string
    readonly git: (...args: ReadonlyArray<string>) => Effect.Effect<string>
    readonly write: (name: string, text: string) => Effect.Effect<void>
    readonly at: (folder: string) => {
      readonly git: (...args: ReadonlyArray<string>) => Effect.Effect<string>
      readonly write: (name: string, text: string) => Effect.Effect<void>
    }
  }) => Parameters<typeof stage>[3],
  options: {
    readonly tasks?: ReadonlyArray<string>
    readonly settings?: Partial<ResolvedSettings>
    readonly lazy?: boolean
    /** The gate of each task, which is the real one. */
    readonly gate?: PlanGate
    /** What the plan says, besides its tasks or in their place. */
    readonly plan?: Partial<Plan>
  } = {}
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof git>>>()
  const project = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  /** A work tree of the repository. */
  const at = (folder: string) => ({
    git: (...args: ReadonlyArray<string>) => git(folder, ...args).pipe(Effect.provide(services), Effect.orDie),
    write: (name: string, text: string) => Effect.orDie(fs.writeFileString(path.join(folder, name), text))
  })
  const { git: asked, write } = at(project)
  let count = 0
  const commit: Act = Effect.fnUntraced(function* ({ cwd }) {
    const there = at(cwd)
    count += 1
    yield* there.write(`work-${count}.txt`, `${count}\n`)
    yield* there.git("add", "-A")
    yield* there.git("commit", "-q", "-m", `work ${count}`)
    return complete
  })
  yield* asked("init", "-q", "-b", "main")
  yield* write("base.txt", "base\n")
  yield* asked("add", "base.txt")
  yield* asked("commit", "-q", "-m", "base")
  const repository = yield* gitOf(project, yield* own(path.join(project, "state.json"), []))
  const plan = { ...planOf(...(options.tasks ?? ["t1"])), ...options.plan }
  const { gate } = options
  const it = yield* stage(
    gate === undefined ? plan : { ...plan, tasks: plan.tasks.map((task) => ({ ...task, gate })) },
    repository,
    project,
    acts({ commits: commit, git: asked, write, project, at }),
    options.settings,
    options.lazy
  )
  const stateDir = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  const judging = yield* hostGate({ project, environment: { PATH: process.env["PATH"] ?? "" } }).pipe(
    Effect.provide(layerSettings({ stateDir, ...options.settings }))
  )
  const pullRequests = yield* Effect.provide(hostPullRequests(project), layerSettings({ stateDir }))
  const trees = yield* Effect.provide(
    hostTrees(project, yield* own(path.join(project, "state.json"), []), [".claude"]),
    layerSettings({ stateDir, ...options.settings })
  )
  const hosted = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provideService(GatePort, judging),
      Effect.provideService(TreePort, trees),
      Effect.provideService(PullRequestPort, pullRequests)
    )
  const conducts = hosted(it.conducts)
  const conductsOn: typeof it.conductsOn = (waiting) => hosted(it.conductsOn(waiting))
  const abandonedAt = (moment: number) => hosted(it.abandonedAt(moment))
  return { ...it, conducts, conductsOn, abandonedAt, judging, stateDir, git: asked, write, project, at }
})
export type Play = Effect.Success<ReturnType<typeof theatre>>

/** Leaves the repository in a merge that a person must see to. */
export const conflict = Effect.fnUntraced(function* (git: Play["git"], write: Play["write"]) {
  yield* git("checkout", "-q", "-b", "side")
  yield* write("base.txt", "side\n")
  yield* git("commit", "-qam", "side")
  yield* git("checkout", "-q", "main")
  yield* write("base.txt", "main\n")
  yield* git("commit", "-qam", "main")
  yield* Effect.ignore(Effect.sandbox(git("merge", "-q", "side")))
})

/**
 * Kills a conductor right after its append of the event with this tag. The conductor passes a gate before and after
 * each append and launch, and takes the run first.
 */
export const abandonedAfter = Effect.fnUntraced(function* (
  { abandonedAt, tags }: Play,
  tag: string,
  gatesBefore: number
) {
  assert.isTrue(yield* abandonedAt(gatesBefore + 2))
  assert.strictEqual((yield* tags).at(-1), tag)
})

/** Runs the act, and keeps its prompt. */
export const noting =
  (prompts: Array<string>, act: Act): Act =>
  (assignment) =>
    Effect.suspend(() => {
      prompts.push(assignment.prompt)
      return act(assignment)
    })
/** Says a person's word while the agent is at work, which goes on to its end. */
export const hearing =
  (word: () => Effect.Effect<unknown, unknown>, act: Act): Act =>
  (assignment) =>
    Effect.andThen(word(), act(assignment))
export const say =
  (text: string | undefined): Act =>
  () =>
    Effect.succeed(text)

type Live = () => Effect.Effect<unknown, unknown, HostServices.HostServices | Processes | Scope.Scope>
const hosted = (test: Live) => () => Effect.provide(Effect.scoped(test()), [HostServices.layer, HostProcesses.layer])

export const live = (title: string, test: Live) => it.live(title, hosted(test))
/** Makes such a test of one more case, for `pnpm test:cases`. */
export const liveCase = (title: string, test: Live) => it.live(title, hosted(test), { tags: ["cases"] })
