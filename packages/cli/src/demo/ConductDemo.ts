import { completionSummary, loadRun, RunLog, type RunEvent } from "@souffleur/plan"
import { runProgram } from "@souffleur/process"
import { Console, Effect, FileSystem, Path, Schedule, Stream } from "effect"
import { Souffleur } from "@souffleur/embed"
import { Words } from "@souffleur/domain"
import { layerSouffleur, layerStore, withProgress } from "@souffleur/embed/internal"
import { planLine } from "../conducting/PlanLine.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { printLines } from "../Printing.ts"
import { broughtBy, DemoFailed, exists, makeScene } from "./Scene.ts"

const plan = `workflow_id: opera
finish: none
tasks:
  - id: overture
    title: Write the overture
    acceptance_criteria: [it is written, it is tested]
    verify: [cat, overture.txt]
  - id: finale
    title: Write the finale
    acceptance_criteria: it is written
    depends_on: [overture]
    verify: [cat, finale.txt]
`
/**
 * The first commit of the overture lacks its file, and the reviewer rejects it once. `millis`: how
 * long each assignment of an agent takes.
 */
const craft = {
  millis: 400,
  tasks: { overture: { implementer: ["forget", "commit"], reviewer: ["reject", "approve"] } }
}

const git = (project: string, ...args: ReadonlyArray<string>) =>
  runProgram({
    command: "git",
    args: ["-C", project, "-c", "user.name=Demo", "-c", "user.email=demo@localhost", ...args],
    stdin: "",
    within: "10 seconds",
    atMost: 1_000_000
  }).pipe(Effect.mapError(({ message }) => new DemoFailed({ message: `git, which the demo needs: ${message}` })))

/**
 * Plays the second act: souffleur conducts a plan of two tasks under its own watch. The conductor is killed while an
 * agent works. Its watch starts it again, and it continues with the same agent. Fails with `DemoFailed` when an act
 * does not happen.
 */
export const conductDemo = Effect.fn("conductDemo")(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { brush, hold, next, pidFile, project, release, say, settings, start, tells, within } = yield* makeScene()
  yield* git(project, "init", "-q", "-b", "main")
  yield* git(project, "commit", "-q", "--allow-empty", "-m", "An empty stage")
  yield* fs.writeFileString(path.join(project, "plan.yaml"), plan)
  yield* fs.writeFileString(path.join(project, "craft.json"), JSON.stringify(craft))
  yield* say(`A plan of two tasks in ${project}, conducted under souffleur's own watch:`)
  yield* Console.log(
    brush("dim", "    souffleur conduct plan plan.yaml --trust   # the programs by which it judges each commit")
  )
  yield* Console.log(brush("dim", "    souffleur run -- souffleur conduct plan.yaml"))
  yield* Console.log(
    brush("dim", "    (were a person needed, it would stay and wait for: souffleur conduct answer TASK)")
  )
  // By this very process, since whoever plays a demo may be an agent, which has no word on trust.
  yield* Souffleur.use((souffleur) =>
    souffleur.trustPlan({ project, plan: path.join(project, "plan.yaml") }, ["cat overture.txt", "cat finale.txt"])
  ).pipe(Effect.provide(layerSouffleur(yield* settings)), within, Effect.orDie)
  // The hold keeps the second implementer at work until its conductor is killed, even on a slow machine.
  const [implementer, reviewer] = ["overture.implementer", "overture.reviewer"] as const
  yield* hold(reviewer)
  const { self } = yield* Environment
  const watchdog = yield* start(["run", "--no-guardian", "--quiet", "--", ...self, "conduct", "plan.yaml"])
  yield* tells(watchdog, "watchdog  ")

  const run = yield* Effect.gen(function* () {
    const log = yield* RunLog
    const stream = yield* broughtBy(
      watchdog,
      "the run",
      log.streams.pipe(
        Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: ([one]) => one !== undefined }),
        Effect.map(([one]) => one!)
      )
    )
    yield* Effect.forkScoped(
      Stream.runForEach(withProgress(log.changes(stream, 0)), ({ before, recorded: { event } }) => {
        const line = planLine(event, before)
        return line === undefined
          ? Effect.void
          : Console.log(`    conductor ${brush("dim", Words.time(event.at))} ${line.text}`)
      })
    )
    const until = <T extends RunEvent["_tag"]>(what: string, tag: T, after = 0) =>
      broughtBy(
        watchdog,
        what,
        log.changes(stream, after).pipe(
          Stream.filter(
            (one): one is typeof one & { readonly event: Extract<RunEvent, { readonly _tag: T }> } =>
              one.event._tag === tag
          ),
          Stream.runHead,
          Effect.flatMap(Effect.fromOption),
          Effect.orDie
        )
      )
    const taken = yield* until("the conductor", "RunTaken")
    const refused = yield* until("the refusal", "WorkRefused")
    yield* say(
      "It says that it is done, and its commit lacks the file: the gate refuses it, and the same session goes on"
    )
    yield* until("the first attempt", "ImplementationCompleted", refused.revision)
    yield* hold(implementer)
    yield* release(reviewer)
    const rejected = yield* until("the rejection", "ReviewRejected")
    const working = yield* until("the second attempt", "AgentLaunched", rejected.revision)
    yield* broughtBy(watchdog, "its assignment", exists(pidFile(working.event.process.pid)))
    const { pid } = taken.event.owner.process
    yield* say(`The same implementer works on the feedback. Its conductor is killed: kill -9 ${pid}`)
    yield* Effect.sync(() => process.kill(pid, "SIGKILL"))
    const again = yield* until("another conductor", "RunTaken", taken.revision)
    yield* say(
      `Brought back by its watchdog as pid ${again.event.owner.process.pid}; it goes on with the agent that was at work`
    )
    yield* release(implementer)
    const outcome = yield* until("the outcome of that agent", "ImplementationCompleted", working.revision)
    if (outcome.event.token !== working.event.token)
      return yield* new DemoFailed({ message: "an agent was asked to do its work twice" })
    yield* until("the end", "RunFinished")
    return yield* loadRun(stream.slice("run/".length))
  }).pipe(Effect.provide(layerStore(yield* settings)))
  const code = yield* broughtBy(watchdog, "the end of the watchdog", watchdog.exitCode)
  if (code !== 0) return yield* new DemoFailed({ message: `the watchdog ended with ${code}` })
  const commits = (yield* git(project, "rev-list", "--count", "HEAD")).trim()
  if (commits !== "5") return yield* new DemoFailed({ message: `${commits} commits where 5 should be` })
  yield* printLines(`\n${brush("green", completionSummary(run))}\n`)
  yield* say(brush("green", "Killed half-way, finished all the same: no work lost, and none done twice."))
  yield* Console.log(`The state: ${path.join(project, "state.json")}`)
  yield* printLines(
    next(
      "conduct status --all",
      `conduct ${path.join(project, "plan.yaml")} --dry-run --project-dir ${project}`,
      "log --all"
    )
  )
}, Effect.scoped)
