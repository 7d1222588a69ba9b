import { type PlanStatus, Souffleur } from "@souffleur/embed"
import { plain, Words, type Zone } from "@souffleur/domain"
import type { RecordedAs } from "@souffleur/eventlog"
import { type Run, type RunEvent, steps } from "@souffleur/plan"
import { Clock, Console, Effect, Schedule } from "effect"
import { makeErasable } from "../explain/Progress.ts"
import { colours } from "../explain/WatchLine.ts"
import { paint } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { cut, wrapped } from "../Wrapped.ts"
import { placeOf, planLine } from "./PlanLine.ts"

/** The columns before the text of a line: the time of day. */
const indent = "00:00:00   ".length

/** The time between two looks at the agent at work. */
const lookInterval = "1 second"

/** Says who is at work on what now, a line each. */
const atWork = (run: Run, { agents }: Pick<PlanStatus, "agents">): ReadonlyArray<string> => [
  ...agents.map(({ age, assignment: { role, taskId }, doing }) => {
    const what = taskId === null ? "" : `${placeOf(run, taskId)} ${taskId}: `
    return `${what}${role}${age === null ? "" : `, ${Words.duration(age)}`}${doing === null ? "" : `: it ${doing}`}`
  }),
  ...steps(run).flatMap((step) =>
    step._tag === "Gate" ? [`${placeOf(run, step.task.id)} ${step.task.id}: the gate judges its commit`] : []
  )
]

/**
 * Makes the screen of a run that a person looks at in a terminal: a line for what happened, and below them one for each
 * that is at work. These are written again each second and are gone at the end of this scope.
 */
export const makePlanScreen = Effect.fn("makePlanScreen")(function* (
  { id, state }: { readonly id: string; readonly state: Effect.Effect<Run, unknown> },
  zone: Zone
) {
  const souffleur = yield* Souffleur
  const { colour, columns } = yield* Environment
  const brush = paint(colour)
  const live = yield* makeErasable
  const dates = Words.makeDates(yield* Clock.currentTimeMillis, zone)
  const look = Effect.gen(function* () {
    const run = yield* state
    const lines = atWork(run, yield* souffleur.planStatus({ id, run }))
    return yield* live.show(...lines.map((text) => cut(plain(text), columns)))
  })
  yield* Effect.addFinalizer(() => live.erase)
  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(look), Schedule.spaced(lookInterval)))
  return {
    tell: Effect.fnUntraced(function* ({ event }: RecordedAs<RunEvent>, before: Run) {
      const line = planLine(event, before, zone)
      if (line === undefined) return
      const tone = colours[line.severity]
      const [first = "", ...more] = wrapped(`${Words.time(event.at, zone)} ${line.text}`, columns, indent)
      const date = dates(event.at)
      yield* live.erase
      yield* Effect.forEach(
        [...(date === undefined ? [] : [date]), tone === undefined ? first : brush(tone, first), ...more],
        (one) => Console.log(one)
      )
    })
  }
})
