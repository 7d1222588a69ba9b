import { Claims, nameOf } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerClaims, layerSouffleur } from "@souffleur/embed/internal"
import { dueSteps, invocation, type NamedRun, type Run } from "@souffleur/plan"
import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Ended } from "../Failure.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { unseenSaid } from "../explain/NextStep.ts"
import { findJob } from "./NamedJob.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { json, namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Stops a run after its agents at work, or with them (spec: behaviour#a-persons-word-to-a-run). */
const stopRun = Effect.fn("stopRun")(function* (
  { id, run: before }: NamedRun,
  how: { readonly now: boolean; readonly reason: string | undefined },
  asJson: boolean
) {
  const souffleur = yield* Souffleur
  const { cwd } = yield* Environment
  const run = yield* Effect.catchTag(souffleur.stopPlan(id, how), "AlreadyWatched", (refused) =>
    unseenSaid(
      refused,
      `it has the word to stop; if it surely is gone, take the run over with: ${invocation(before, cwd)} --moved`
    )
  )
  const { assignments, owner } = run
  const isIdle = assignments.length === 0
  const isConducted = owner !== null && !(yield* (yield* Claims).isDead(owner))
  const isJudged = isConducted && dueSteps(run).some(({ _tag }) => _tag === "Baseline" || _tag === "Gate")
  const isDone = !how.now || isIdle
  if (asJson) yield* Console.log(JSON.stringify({ run: id, stopped: isDone && isIdle && !isJudged }))
  else {
    const agent = ({ assignments }: Run) =>
      assignments
        .map(({ launch, role }) => `its ${role}${launch === null ? "" : `, pid ${launch.process.pid},`}`)
        .join(" and ")
    const [does, has] = assignments.length > 1 ? ["do", "have"] : ["does", "has"]
    const then = `it goes on with: ${invocation(run, cwd)}`
    if (!isDone)
      yield* Console.error(`souffleur: run ${id} is not stopped: ${agent(run)} ${does} not end; say it again`)
    else if (!isIdle && isConducted) yield* Console.log(`run ${id} stops once ${agent(run)} ${has} ended; ${then}`)
    else if (!isIdle)
      yield* Console.log(
        `run ${id} is stopped, and nobody conducts it: "souffleur stop ${id} --now" ends ${agent(run)} if ${assignments.length > 1 ? "they still work" : "it still works"}; ${then}`
      )
    else if (isJudged) yield* Console.log(`run ${id} stops once its gate is over; ${then}`)
    else
      yield* Console.log(
        `run ${id} is stopped${before.assignments.length === 0 ? "" : `: ${agent(before)} ${before.assignments.length > 1 ? "have" : "has"} ended`}; ${then}`
      )
  }
  if (!isDone) return yield* new Ended({ code: 1 })
})

/** Ends an agent with its tree, and its watch (spec: command-line#watches), or stops a run. */
export const stopCommand = Command.make(
  "stop",
  {
    watch: watchName,
    projectDir,
    now: Flag.Boolean("now").pipe(
      Flag.withDescription("End the agent of a run too, as that of a watch is: its session is kept"),
      Flag.withDefault(false)
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Why, in your own words, for the log"), Flag.optional),
    json
  },
  Effect.fnUntraced(function* (flags) {
    yield* personOnly("souffleur stop")
    const souffleur = yield* Souffleur
    const found = yield* findJob(souffleur, namedIn(yield* Project, flags.watch))
    const { id } = found
    const reason = Option.getOrUndefined(flags.reason)
    if ("run" in found) return yield* stopRun(found, { now: flags.now, reason }, flags.json)
    const watch = yield* souffleur.stop(id, reason === undefined ? {} : { reason })
    const stopped = watch.end === "stopped" || watch.end === "limit reached"
    const pid = watch.conductor?.pid ?? null
    if (flags.json) yield* Console.log(JSON.stringify({ watch: id, stopped, pid, last_export: watch.lastExport }))
    else if (stopped) {
      const which = pid === null ? "" : `, pid ${pid},`
      const last = watch.lastExport === null ? "" : `. Its last export: ${watch.lastExport}`
      yield* Console.log(`${id} is stopped: ${nameOf(watch)}${which} has ended with all that it started${last}`)
    } else
      yield* Console.error(
        `souffleur: ${id} is not stopped (${watch.standby?.message ?? watch.end ?? "its watch goes on"}): say it again, or "souffleur release ${id}" and end it yourself`
      )
    if (!stopped) return yield* new Ended({ code: 1 })
  })
).pipe(
  withLayers((settings) =>
    layerClaims.pipe(Layer.provideMerge(layerAgentFiles(settings)), Layer.provideMerge(layerSouffleur(settings)))
  )
)
