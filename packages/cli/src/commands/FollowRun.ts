import { initial, type Watch } from "@souffleur/domain"
import { isRunOver, loadRun, type NamedRun, RunLog } from "@souffleur/plan"
import { outputInterval } from "@souffleur/process"
import { Console, Effect, Stream } from "effect"
import { BadUsage } from "../Failure.ts"
import { makeOutputPrinter } from "../watching/FollowOutput.ts"

/** Returns an agent of a run as the Conductor of a watch, whose output is printed. */
const asConductor = (launchId: string, agent: string | null): Watch => ({
  ...initial,
  kind: "agent",
  generation: 1,
  launchId,
  ...(agent === null ? {} : { agent })
})

/**
 * Prints the output of each agent of a run, one after the other, until the run is over or its conductor leaves. It
 * begins with the end of the present one's. Fails with `BadUsage` if no agent is at work and no conductor asks for one.
 */
export const followAgents = Effect.fn("followAgents")(function* ({ id, run: first }: NamedRun) {
  if (first.owner === null && first.assignments.every(({ launch }) => launch === null))
    return yield* new BadUsage({ message: `no agent of run ${id} is at work: souffleur conduct status --run ${id}` })
  const printer = yield* makeOutputPrinter("end")
  let shown: Watch | undefined
  let [run, hasMoved] = [first, true]
  yield* Stream.runForEach((yield* RunLog).moves, () => Effect.sync(() => void (hasMoved = true))).pipe(
    Effect.forkScoped({ startImmediately: true })
  )
  for (;;) {
    // The state is read before the output. So the last words are in the file when the run is over.
    if (hasMoved) {
      hasMoved = false
      run = yield* loadRun(id)
    }
    // Of several at work one is shown to its end.
    const launched = run.assignments.filter(({ launch }) => launch !== null)
    const [assignment] = launched.some(({ launch }) => launch?.launchId === shown?.launchId) ? [] : launched
    if (assignment?.launch != null) {
      const { agent, launch, role, taskId } = assignment
      shown = asConductor(launch.launchId, agent)
      yield* printer.endLine
      const what = taskId === null ? "" : ` of ${taskId}`
      yield* Console.error(`${role}${what}, pid ${launch.process.pid}: its output, then that of the next`)
    }
    if (shown !== undefined) yield* printer.print(shown)
    if (isRunOver(run) || run.owner === null) return yield* printer.close
    yield* Effect.sleep(outputInterval)
  }
}, Effect.scoped)
