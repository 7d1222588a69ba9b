import { Settings, type Zone } from "@souffleur/domain"
import { type PlanWhy, SouffleurLog } from "@souffleur/embed"
import { layerAgentFiles, layerLaunches, reasonJson, runJsonLine } from "@souffleur/embed/internal"
import { assignedAgent, type Assignment, assignmentOf, type RunEvent } from "@souffleur/plan"
import { lastPrinted } from "@souffleur/process"
import { Effect, Option } from "effect"
import { BadUsage } from "../Failure.ts"
import { printJson, printLines } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { indentOf, wrapped } from "../Wrapped.ts"

/** The decisions about an agent whose last words say why. */
const failures: ReadonlySet<RunEvent["_tag"]> = new Set(["ImplementationFailed", "ReviewFailed"])

/** Returns the last lines that the agent of an assignment printed. They are for a screen alone. */
const wordsOf = Effect.fn("PlanWhy.wordsOf")(function* (assignment: Assignment) {
  if (assignment.launch === null) return []
  const { outputReader } = yield* assignedAgent(assignment)
  return yield* lastPrinted(assignment.launch.launchId, outputReader())
})

/** Returns the last words of the agent that failed at a revision, as lines of the screen. */
const wordLines = Effect.fnUntraced(function* (id: string, { recorded: { event, revision } }: PlanWhy) {
  if (!failures.has(event._tag) || !("token" in event)) return []
  const settings = yield* Settings
  const before = yield* (yield* SouffleurLog).planState(id, { revision: revision - 1 })
  const assignment = assignmentOf(before, event.token)
  if (assignment === undefined) return []
  const words = yield* Effect.provide(wordsOf(assignment), [layerAgentFiles(settings), layerLaunches(settings)])
  return words.length === 0 ? [] : ["", "Its last words", ...words.map((word) => `  ${word}`)]
})

/**
 * Explains the newest decision of a run at or before a revision, by its evidence and rule. Fails with `BadUsage` where
 * there is none.
 */
export const tellRunWhy = Effect.fn("tellRunWhy")(function* (
  id: string,
  { asJson, revision, zone }: { readonly asJson: boolean; readonly revision?: number | undefined; readonly zone: Zone }
) {
  const log = yield* SouffleurLog
  const why = yield* log.planWhy(id, { revision, zone })
  if (Option.isNone(why))
    return yield* new BadUsage({
      message: `run ${id} has decided nothing ${revision === undefined ? "yet" : `up to revision ${revision}`}`
    })
  if (asJson) return yield* printJson({ run: id, ...reasonJson(why.value, runJsonLine) })
  const { columns } = yield* Environment
  const lines = [...why.value.lines, ...(yield* wordLines(id, why.value))]
  yield* Effect.forEach(lines, (line) => printLines(wrapped(line, columns, indentOf(line)).join("\n")))
})
