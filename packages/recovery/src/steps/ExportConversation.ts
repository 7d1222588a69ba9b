import {
  Agent,
  Export,
  exportLimits,
  knownWindow,
  SessionMark,
  Settings,
  stepNames,
  type Watch
} from "@souffleur/domain"
import { Effect, FileSystem, Option, Path, Schema } from "effect"
import { again, Cycle, step } from "./Step.ts"

/** Says that there is no usable export of this session in this cycle. */
export class NoExport extends Schema.TaggedError<NoExport>()("NoExport", { message: Schema.String }) {}

/**
 * Describes an export: its session, and where the file of that session ended before it was read. There is no `mark`
 * when the file could not be read.
 */
export const Exported = Schema.Struct({
  ...Export.fields,
  sessionId: Schema.String,
  mark: Schema.optionalKey(SessionMark)
})
export type Exported = typeof Exported.Type

/**
 * Finds the session whose conversation is handed on. A successor that died before its first word left no session file;
 * then the newest session before it counts.
 */
export const newestSession = Effect.fn("Recovery.newestSession")(function* ({ sessionId, sessions }: Watch) {
  const agent = yield* Agent
  for (const id of [sessionId, ...sessions.toReversed()]) {
    if (Option.isSome(yield* Effect.option(agent.sessionFile(id)))) return id
  }
  return sessionId
})

/**
 * Returns the limits of an export of this watch, as the newest word of its agent decides them (spec: settings#gate),
 * and the context in use by that word.
 */
export const exportLimitsOf = Effect.fn("exportLimitsOf")(function* (watch: Watch) {
  const agent = yield* Agent
  const signs = yield* agent.signs(yield* newestSession(watch))
  const context = Option.getOrUndefined(signs)?.context
  return { context, limits: exportLimits(yield* Settings, knownWindow(watch, context)) }
})

/**
 * Writes the conversation to the state folder, under a step's token, at least its `newest` characters. Fails with
 * `NoExport`.
 */
export const writeExport = Effect.fnUntraced(
  function* (watch: Watch, token: string, newest: number) {
    const agent = yield* Agent
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const settings = yield* Settings
    const folder = path.join(settings.stateDir, "exports")
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    const sessionId = yield* newestSession(watch)
    const mark = yield* Effect.option(agent.mark(sessionId))
    const out = path.join(folder, `${(yield* Cycle).watch.id}-${token}.md`)
    const exported = yield* agent.exportSession(sessionId, out, newest)
    return {
      ...exported,
      sessionId,
      ...Option.match(mark, { onNone: () => ({}), onSome: (mark) => ({ mark }) })
    } satisfies Exported
  },
  Effect.mapError((error) => new NoExport({ message: error.message }))
)

const sameMark = Schema.toEquivalence(SessionMark)

/**
 * Fails with `NoExport` when the conversation continued after it was read, as when a person has resumed it by hand. A
 * session file that is gone has nothing newer.
 */
export const unlessStale = Effect.fnUntraced(function* (watch: Watch, { mark }: Pick<Exported, "mark">) {
  if (mark === undefined) return
  const now = yield* Effect.option(Effect.flatMap(newestSession(watch), (yield* Agent).mark))
  if (Option.exists(now, (newer) => !sameMark(newer, mark)))
    return yield* new NoExport({
      message: "the conversation went on after it was read, so what was read is out of date"
    })
})

/**
 * Exports the conversation, as far as the trim keeps it: step 2 of a recovery. Fails with `NoExport` when the agent
 * cannot export it.
 */
export const exportConversation = Effect.fn("exportConversation")(function* (watch: Watch) {
  return yield* step(stepNames.export, {
    outcome: Exported,
    failure: NoExport,
    act: (token) => Effect.flatMap(exportLimitsOf(watch), ({ limits }) => writeExport(watch, token, limits.trim_chars)),
    reconcile: again
  })
})
