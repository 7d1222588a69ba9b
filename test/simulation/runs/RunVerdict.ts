import { evolveRun, initialRun, isRunOver, type Run, type RunEvent } from "@souffleur/plan"
import type { Person, RunKeeper } from "./RunKeeper.ts"
import type { RunWorld } from "./RunWorld.ts"

/** Returns whether a person is told of this event, once. The finishing step of a plan that has more to do is no end. */
const isTold = ({ _tag }: RunEvent, before: Run): boolean =>
  _tag === "TaskEscalated" || _tag === "RunPaused" || (_tag === "RunFinished" && before.phase !== "implementation")

/**
 * Checks a world that is healthy again, long after. The plan is done, and everybody has heard of it. The length of the
 * log fits what happened.
 */
export const converged = (world: RunWorld, keeper: RunKeeper, person: Person): void => {
  const { agents, comms, ledger, plans } = world
  const wrong = (what: string) => world.violated(`long after, ${what}`)
  if (new Set(world.notices).size !== world.notices.length) wrong("a person got two notices of one event")
  if (ledger.runs.size !== plans.length) wrong(`there are ${ledger.runs.size} runs of ${plans.length} plans`)
  for (const [stream, run] of ledger.runs) {
    if (run.phase !== "finished")
      wrong(
        `the run is in its ${run.phase}: ${JSON.stringify({ assignments: run.assignments, wait: run.wait, paused: run.paused })}`
      )
    if (keeper.isRunning) wrong("a conductor of a finished run runs")
    if (!isRunOver(run)) continue
    const events = ledger.events.filter((one) => one.stream === stream)
    let before = initialRun
    for (const [index, { event }] of events.entries()) {
      const expected = isTold(event, before)
      before = evolveRun(before, event)
      const times = comms.messages.filter(({ text }) => text.startsWith(`[${stream}#${index + 1}] `)).length
      if (expected ? times !== 1 : times > 1) wrong(`comms was told ${times} times of ${event._tag} ${index + 1}`)
    }
    const order = comms.messages.flatMap(({ text }) =>
      text.startsWith(`[${stream}#`) ? [Number.parseInt(text.slice(stream.length + 2), 10)] : []
    )
    if (order.some((revision, at) => at > 0 && revision < order[at - 1]!)) wrong("comms was told in another order")
    world.branchJudge.ended(run)
    const named = events.flatMap(({ event }) => (event._tag === "RunOpened" ? event.tasks.map(({ id }) => id) : []))
    const gone = named.find((id) => !run.dropped.includes(id) && !run.tasks.some((task) => task.id === id))
    if (gone !== undefined) wrong(`task ${gone} has vanished`)
    for (const { id, minor } of run.tasks) {
      const parked = world.oracle(stream).rungs.get(id)?.minor ?? []
      if (new Set(minor).size !== minor.length) wrong(`a minor finding of ${id} is there twice`)
      if (minor.join("\n") !== parked.join("\n")) wrong(`${id} has ${minor.length} of ${parked.length} minor findings`)
    }
    for (const { id } of run.tasks)
      if (comms.tasks.get(id) !== "complete") wrong(`comms says that ${id} is ${comms.tasks.get(id)}`)
    if (comms.conductor?.state !== "complete") wrong(`comms says that the conductor is ${comms.conductor?.state}`)
    const most =
      12 *
        (agents.length +
          keeper.all.length +
          person.deeds +
          plans.reduce((sum, { edition }) => sum + edition, run.tasks.length)) +
      20
    if (events.length > most) wrong(`${events.length} events, more than ${most}`)
  }
}
