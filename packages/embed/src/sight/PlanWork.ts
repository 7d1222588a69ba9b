import { isSessionKnown, type SaidPlace } from "@souffleur/domain"
import type { RecordedAs } from "@souffleur/eventlog"
import { assignedAgent, commitChanges, type NamedRun, type RunEvent, RunLog, streamOf, taskOf } from "@souffleur/plan"
import { Effect, Option, Stream } from "effect"
import { findPlan, type PlanName } from "../conducting/FindPlan.ts"
import { type AgentStretch, runAgents } from "../timeline/RunTimeline.ts"
import { Parts } from "../world/Parts.ts"
import type { ConversationPart } from "./JobConversation.ts"

/** How often the session file of an agent is looked at for a reader. */
const every = "1 second"

/** Returns a run, with the layer of its agents' files. */
const lookedAt = Effect.fnUntraced(function* (name: PlanName) {
  const { layerLook, settings } = yield* Parts
  const known = yield* findPlan(name)
  const look = layerLook({ settings: yield* settings(known.run.project), comms: null })
  return { known, look }
})

/** What a log told of one agent, up to a revision. */
interface Told {
  readonly revision: number
  readonly events: ReadonlyArray<RecordedAs<RunEvent>>
}

const nothing: Told = { revision: 0, events: [] }

/** Reads what the log tells of one agent since. The rest of a long log is not kept. */
const toldOf = Effect.fnUntraced(function* ({ id }: NamedRun, token: string, { events, revision }: Told) {
  const fresh = yield* (yield* RunLog).read(streamOf(id), revision)
  const its = fresh.filter(({ event }) => event._tag === "RunFinished" || ("token" in event && event.token === token))
  return { revision: fresh.at(-1)?.revision ?? revision, events: [...events, ...its] } satisfies Told
})

const agentOf = ({ events }: Told): AgentStretch | undefined => runAgents(events)[0]

const partOf = Effect.fnUntraced(function* (
  { agent, sessionId }: Pick<AgentStretch, "agent" | "sessionId">,
  place?: SaidPlace
) {
  if (!isSessionKnown(sessionId)) return Option.none()
  const { conversation } = yield* assignedAgent({ agent, sessionId })
  if (conversation === undefined) return Option.none()
  return Option.map(yield* conversation(sessionId, place), (part): ConversationPart => ({
    ...part,
    session: 0,
    sessions: [sessionId]
  }))
})

/** Returns a part of the conversation of one agent of a run; `None`: there is none, or its session cannot be read. */
export const planConversation = Effect.fn("Souffleur.planConversation")(function* (
  name: PlanName,
  token: string,
  place?: SaidPlace
) {
  const { known, look } = yield* lookedAt(name)
  const agent = agentOf(yield* toldOf(known, token, nothing))
  return agent === undefined ? Option.none() : yield* Effect.provide(partOf(agent, place), look)
})

/** Streams what an agent of a run says after a place, in bytes, until its work is over. */
export const planConversationNews = (name: PlanName, token: string, after: number) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { known, look } = yield* lookedAt(name)
      const step = Effect.fnUntraced(function* (at: { readonly after: number; readonly told: Told }) {
        const told = yield* toldOf(known, token, at.told)
        const agent = agentOf(told)
        const found = agent === undefined ? Option.none() : yield* partOf(agent, { after: at.after })
        const said = Option.filter(found, ({ to }) => to !== at.after)
        const over = Option.isNone(said) && (agent === undefined || agent.to !== null)
        const next = Option.match(said, { onNone: () => at.after, onSome: ({ to }) => to })
        return [{ after: next, told }, [{ over, said }]] as const
      })
      return Stream.tick(every).pipe(
        Stream.mapAccumEffect(() => ({ after, told: nothing }), step),
        Stream.takeUntil(({ over }) => over),
        Stream.map(({ said }) => Option.toArray(said)),
        Stream.flattenIterable,
        Stream.provide(look)
      )
    })
  )

/**
 * Returns what the commits of a task changed, beside the commit that it began from; `None`: that is not known, or the
 * task has not begun.
 */
export const planChanges = Effect.fn("Souffleur.planChanges")(function* (name: PlanName, taskId: string) {
  const { run } = yield* findPlan(name)
  const task = taskOf(run, taskId)
  if (task === undefined || !task.begun) return Option.none()
  const { base, implementation, made, status, tree, work } = task
  const done = status === "completed" ? (work.commits.at(-1) ?? base) : (implementation?.head ?? made.at(-1))
  const isUnderWay = status === "in_progress" && implementation === null
  if (done === undefined && !isUnderWay) return Option.none()
  // Other tasks may have gone on in the project since.
  const folder = isUnderWay && tree?.begun === true ? tree.folder : run.project
  return Option.some(yield* commitChanges(folder, { base, head: isUnderWay ? null : (done ?? null) }))
})
