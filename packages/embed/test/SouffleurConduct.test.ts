/** @module-tag cases */
import { assert, it } from "@effect/vitest"
import { anyAgent, claudeCode } from "@souffleur/agents"
import { HostServices } from "@souffleur/node"
import type { AgentPackage } from "@souffleur/process"
import { isRunOver, type RunEvent, RunMetrics } from "@souffleur/plan"
import { Duration, Effect, Fiber, FileSystem, Metric, Option, Path, Schedule, Stream } from "effect"
import { fileURLToPath } from "node:url"
import { builtProgram } from "../../node/test/fixtures/BuiltProgram.ts"
import { type RunningPlan, Souffleur } from "../src/index.ts"
import { gitIn } from "../../plan/test/GitIn.ts"

const standIn = await builtProgram(fileURLToPath(new URL("../../cli/test/fixtures/standIn.ts", import.meta.url)))

const plan = `workflow_id: play
finish: none
tasks:
  - id: overture
    title: The overture
    acceptance_criteria: it is written
  - id: finale
    title: The finale
    acceptance_criteria: it is written
    depends_on: [overture]
`
/** The finale needs a person's word first. */
const craft = { millis: 0, tasks: { finale: { implementer: ["blocked", "commit"], reviewer: ["approve"] } } }

const until = <E, R>(look: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(look, { until: (yes) => yes, schedule: Schedule.spaced("20 millis") })

/** A repository with the plan, and the service over its agents. */
const opera = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-embed-" }))
  const project = path.join(home, "opera")
  const agentDir = path.join(home, "agent")
  yield* fs.makeDirectory(project)
  const git = gitIn(project)
  yield* git("init", "-q", "-b", "main")
  yield* git("commit", "-q", "--allow-empty", "-m", "base")
  yield* fs.writeFileString(path.join(project, "plan.yaml"), plan)
  yield* fs.writeFileString(path.join(project, "craft.json"), JSON.stringify(craft))
  const held = path.join(agentDir, "craft", "overture.implementer.held")
  yield* fs.makeDirectory(path.dirname(held), { recursive: true })
  const layerOf = (agent: AgentPackage) =>
    Souffleur.layerNode({
      agent,
      stateDir: path.join(home, "state"),
      environment: {
        HOME: home,
        PATH: `${path.join(home, "bin")}:/usr/local/bin:/usr/bin:/bin`,
        XDG_RUNTIME_DIR: home,
        CLAUDE_CONFIG_DIR: agentDir
      },
      settings: {
        agentDir,
        agentCommand: JSON.stringify([process.execPath, standIn]),
        stopGrace: Duration.millis(50)
      }
    })
  /** Another agent beside the first. Its program writes a line for each of its launches. */
  const [bin, calls] = [path.join(home, "bin"), path.join(home, "calls")]
  yield* fs.makeDirectory(bin)
  yield* fs.writeFileString(
    path.join(bin, "other"),
    `#!/bin/sh\necho called >> ${calls}\nexec ${process.execPath} ${standIn} "$@"\n`,
    { mode: 0o700 }
  )
  const other: AgentPackage = {
    ...claudeCode,
    program: "other",
    folder: { variables: ["CLAUDE_CONFIG_DIR"], inHome: ".claude" },
    owns: ([program]) => program === "other"
  }
  return {
    fs,
    path,
    project,
    held,
    git,
    calls,
    layer: layerOf(claudeCode),
    layerBoth: layerOf(anyAgent(claudeCode, other))
  }
})

/** Returns the first event of a kind that the run appends. */
const first = <E>(run: RunningPlan<E>, tag: RunEvent["_tag"]) =>
  run.events.pipe(
    Stream.filter(({ event }) => event._tag === tag),
    Stream.runHead,
    Effect.flatMap(Effect.fromOption)
  )
const completed = Effect.map(
  Metric.value(Metric.withAttributes(RunMetrics.tasks, { outcome: "complete" })),
  ({ count }) => Number(count)
)

it.live("a plan is left with its scope, goes on with the same agent, and waits for a person's answer", () =>
  Effect.gen(function* () {
    const { fs, git, held, layer, path, project } = yield* opera
    const order = { project, plan: "plan.yaml" }
    yield* fs.writeFileString(held, "")
    const before = yield* completed
    const left = yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const run = yield* souffleur.conduct(order)
      const again = yield* Effect.flip(Effect.scoped(souffleur.conduct(order)))
      assert.strictEqual(again._tag, "AlreadyWatched")
      yield* first(run, "AgentLaunched")
      assert.strictEqual((yield* Metric.value(RunMetrics.liveRuns)).value, 1)
      return run.id
    }).pipe(Effect.scoped, Effect.provide(layer))
    assert.strictEqual((yield* Metric.value(RunMetrics.liveRuns)).value, 0)

    yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { assignments, owner, revision } = yield* souffleur.planState(left)
      assert.isNull(owner)
      assert.strictEqual(assignments[0]?.role, "implementer")
      const run = yield* souffleur.conduct(order)
      assert.deepStrictEqual([run.id, run.from >= revision], [left, true])
      const lines: Array<string> = []
      const told = yield* Effect.forkScoped(
        run.narrate(({ event }, progress) => Effect.sync(() => lines.push(`${event._tag}${progress}`)))
      )
      yield* fs.remove(held)
      const escalated = yield* run.awaitEnd
      yield* Fiber.join(told)
      assert.isFalse(isRunOver(escalated))
      assert.include(run.needs(escalated).join("\n"), "finale needs a key")
      const seen = yield* souffleur.planStatus(yield* souffleur.findPlan({ project }))
      assert.deepInclude(seen, { standing: "waits for an answer on finale", needs: run.needs(escalated) })
      assert.match(lines.join("\n"), /^TaskCompleted \(1 of 2, /mu)
      const why = Option.getOrThrow(yield* souffleur.planWhy({ project }))
      assert.strictEqual(why.recorded.event._tag, "TaskEscalated")
      assert.deepStrictEqual(yield* souffleur.planState(run.id, escalated), yield* souffleur.planState(run.id))
      const opened = yield* souffleur.planState(run.id, { revision: 1 })
      assert.deepStrictEqual([opened.revision, opened.owner], [1, null])
      const { revision: before } = yield* souffleur.planState(run.id, { time: opened.openedAt - 1 })
      assert.strictEqual(before, 0)
      const wordless = yield* Effect.flip(souffleur.answer(run.id, { task: "finale", guidance: " " }))
      assert.strictEqual(wordless._tag, "GuidanceUnfit")
      const none = yield* Effect.flip(souffleur.answer(run.id, { finishing: "skip" }))
      assert.strictEqual(none._tag, "Refused")
    }).pipe(Effect.scoped, Effect.provide(layer))

    const last = yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const run = yield* souffleur.conduct({
        ...order,
        // It answers from within, as a program that asks its user would.
        waiting: () =>
          Effect.asVoid(Effect.orDie(souffleur.answer(left, { task: "finale", guidance: "use the other" })))
      })
      return yield* run.awaitEnd
    }).pipe(Effect.scoped, Effect.provide(layer))
    assert.isTrue(isRunOver(last))
    assert.strictEqual((yield* git("rev-list", "--count", "HEAD")).trim(), "3")
    assert.strictEqual(yield* fs.readFileString(path.join(path.dirname(held), "overture.implementer")), ".")
    yield* until(Effect.map(completed, (count) => count - before === 2))
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)

for (const left of [false, true])
  it.live(
    `a run is stopped with its agent ${left ? "without a conductor" : "by its conductor"}, and stays stopped`,
    () =>
      Effect.gen(function* () {
        const { fs, held, layer, project } = yield* opera
        const order = { project, plan: "plan.yaml" }
        yield* fs.writeFileString(held, "")
        yield* Effect.gen(function* () {
          const souffleur = yield* Souffleur
          const launched = Effect.tap(souffleur.conduct(order), (run) => first(run, "AgentLaunched"))
          const stop = souffleur.stopPlan({ project }, { now: true, reason: "the plan is wrong" })
          const stopped = yield* left
            ? Effect.andThen(Effect.scoped(launched), stop)
            : Effect.scoped(Effect.andThen(launched, stop))
          assert.deepInclude(stopped, { assignments: [], owner: null })
          const status = yield* souffleur.planStatus(yield* souffleur.findPlan({ project }))
          assert.deepInclude(status, { need: null, standing: "stopped by a person", state: "idle" })
          const waiting = () => Effect.die("it waits for nobody")
          const restored = Effect.flatMap(
            souffleur.conduct({ ...order, restored: true, waiting }),
            (run) => run.awaitEnd
          )
          assert.isNotNull((yield* Effect.scoped(restored)).stop)
          yield* fs.remove(held)
          yield* Effect.scoped(Effect.flatMap(souffleur.conduct(order), (run) => run.awaitEnd))
          const history = (yield* souffleur.planHistory({ project })).map(({ event }) => event)
          const [one, two] = history.flatMap((event) => (event._tag === "AgentAsked" ? [event] : []))
          assert.deepInclude(two, { sessionId: one!.sessionId, resumed: true, attempt: 1 })
          assert.strictEqual(history.filter(({ _tag }) => _tag === "AgentStopped").length, 1)
        }).pipe(Effect.provide(layer))
      }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

it.live("a plan that cannot be conducted fails with the error of its kind, and leaves no run", () =>
  Effect.gen(function* () {
    const { fs, layer, path, project } = yield* opera
    yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const failing = (more: object) =>
        Effect.map(
          Effect.flip(Effect.scoped(souffleur.conduct({ project, plan: "plan.yaml", ...more }))),
          ({ _tag }) => _tag
        )
      assert.strictEqual(yield* failing({ plan: "no.yaml" }), "PlanInvalid")
      assert.strictEqual(yield* failing({ state: path.join(project, "plan.yaml") }), "StateMisplaced")
      assert.strictEqual(yield* failing({ state: "/nowhere/state.json" }), "StateMisplaced")
      assert.strictEqual(yield* failing({ limits: { reviewerTimeout: "soon" } }), "BadSetting")
      yield* fs.remove(path.join(project, ".git"), { recursive: true })
      assert.strictEqual(yield* failing({}), "GitUnusable")
      assert.deepStrictEqual(yield* souffleur.plans, [])
      assert.strictEqual((yield* Effect.flip(souffleur.findPlan({ project })))._tag, "PlanNotFound")
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)

it.live("a reviewer may be another agent than the implementer, and each task has both", () =>
  Effect.gen(function* () {
    const { calls, fs, layerBoth, project } = yield* opera
    yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const order = { project, plan: "plan.yaml", agents: { reviewer: "other" } }
      const waiting = () =>
        Effect.asVoid(Effect.orDie(souffleur.answer({ project }, { task: "finale", guidance: "use the other" })))
      const run = yield* souffleur.conduct({ ...order, waiting })
      assert.isTrue(isRunOver(yield* run.awaitEnd))
      const history = yield* souffleur.planHistory({ project })
      const taken = history.flatMap(({ event }) => (event._tag === "RunTaken" ? [event.chosen] : []))
      assert.deepStrictEqual(taken, [{ implementer: null, reviewer: "other", permission: "acceptEdits" }])
      const asked = history.flatMap(({ event }) =>
        event._tag === "AgentAsked" ? [`${event.role}: ${event.agent ?? "configured"}`] : []
      )
      assert.deepStrictEqual(new Set(asked), new Set(["implementer: configured", "reviewer: other"]))
      const reviews = asked.filter((one) => one.startsWith("reviewer")).length
      assert.strictEqual(yield* fs.readFileString(calls), "called\n".repeat(reviews))
    }).pipe(Effect.scoped, Effect.provide(layerBoth))
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)

it.live("an agent of a role that is unknown is refused before the run", () =>
  Effect.gen(function* () {
    const { layer, layerBoth, project } = yield* opera
    yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const refused = (agents: { readonly implementer?: string; readonly reviewer?: string }) =>
        Effect.flip(Effect.scoped(souffleur.conduct({ project, plan: "plan.yaml", agents })))
      const unknown = yield* refused({ implementer: "nonesuch" })
      assert.deepInclude(unknown, {
        _tag: "RoleUnfit",
        message: 'the implementer: no agent is called "nonesuch": name claude, other'
      })
      assert.deepStrictEqual(yield* souffleur.plans, [])
    }).pipe(Effect.provide(layerBoth))
    // The only agent of a program has its name too.
    yield* Souffleur.use(({ conduct }) =>
      Effect.scoped(conduct({ project, plan: "plan.yaml", agents: { implementer: "program.mjs" } }))
    ).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)
