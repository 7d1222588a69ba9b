import { plain, utc, watchCodec, watchFold } from "@souffleur/domain"
import { type Job, runJob, unreadableInWords, watchJob } from "@souffleur/embed/internal"
import { type EventCodec, type Fold, stateCodec, type Tagged } from "@souffleur/eventlog"
import type { FleetEvent, FleetJob } from "@souffleur/fleet"
import type { FoldedJob, JobFold } from "@souffleur/hub"
import { runCodec, runFold } from "@souffleur/plan"
import { Option, Result, Schema } from "effect"

/** UTF-16 units of what is kept of a job. No watch and no run of a souffleur comes near it. */
const maxKept = 1_000_000
/** UTF-16 units of a text in a list. A view with the most jobs has room in the answer that people take. */
const maxText = 500

/** The part of a job that later events need. `problem`: why none of them is folded. */
const Kept = Schema.fromJsonString(
  Schema.Struct({ revision: Schema.Int, state: Schema.String, problem: Schema.NullOr(Schema.String) })
)
const decodeKept = Schema.decodeUnknownOption(Kept)
const encodeKept = Schema.encodeSync(Kept)

/** Makes a text of a host plain, and then cuts it: a control character takes six. */
const textOf = (text: string) => plain(plain(text), maxText)

/** Returns a job as a hub lists it. Events of a host may say anything, and no control character of them is kept. */
const listed = (
  { agent, at, id, kind, need, project, standing, state, title }: Job,
  { generation = 0, revision }: { readonly generation?: number; readonly revision: number }
): FleetJob => ({
  kind,
  id: textOf(id),
  project: textOf(project),
  agent: agent === null ? null : textOf(agent),
  title: title === null ? null : textOf(title),
  state,
  standing: textOf(standing),
  need: need === null ? null : { why: textOf(need.why), next: textOf(need.next) },
  generation,
  revision,
  at
})

/** Makes the fold of one kind of stream, by the rules of its aggregate. */
const foldOf = <State extends { readonly revision: number }, Event extends Tagged>(
  fold: Fold<State, Event>,
  codec: EventCodec<Event>,
  shown: (id: string, state: State) => FleetJob
) => {
  const states = stateCodec(fold)
  return (stream: string, before: string | undefined, events: ReadonlyArray<FleetEvent>): FoldedJob => {
    const kept = Option.getOrUndefined(decodeKept(before))
    let state = (kept && states.decode(kept)) ?? fold.initial
    let problem = kept?.problem ?? null
    for (const [, , revision, tag, version, at, data] of events) {
      if (problem !== null || revision <= state.revision) continue
      if (revision !== state.revision + 1) problem = `event ${state.revision + 1} is missing`
      else {
        const event = codec.decode(stream, revision, { tag, version, at, data })
        if (Result.isFailure(event)) problem = unreadableInWords(event.failure)
        else state = fold.evolve(state, event.success)
      }
    }
    const text = states.encode(state)
    if (text === "" || text.length > maxKept) {
      problem ??= "it is too large to be listed"
      state = fold.initial
    }
    const job = shown(stream.slice(codec.prefix?.length ?? 0), state)
    return {
      job: problem === null ? job : { ...job, standing: textOf(`as far as it is known: ${problem}`), need: null },
      folded: encodeKept({ revision: state.revision, state: states.encode(state), problem })
    }
  }
}

const watch = foldOf(watchFold, watchCodec, (id, watch) =>
  listed(watchJob({ id, watch }, watch.owner !== undefined, utc), watch)
)
const run = foldOf(runFold, runCodec, (id, run) =>
  listed(runJob({ id, run }, run.owner !== null), { revision: run.revision })
)

/**
 * Folds the events of hosts by the rules of this souffleur, as every list of it does. An owner in the log counts as
 * alive, because a process of another host cannot be seen (spec: fleet#view).
 */
export const fleetJobs: JobFold = {
  rules: `6 ${watchFold.name.fingerprint} ${runFold.name.fingerprint}`,
  lost: ([position, stream, revision]) => {
    const isRun = stream.startsWith(runCodec.prefix ?? "")
    const { job } = (isRun ? run : watch)(stream, undefined, [])
    const problem = `this hub cannot fold event ${revision}, at position ${position}`
    return {
      job: { ...job, standing: `as far as it is known: ${problem}`, need: null },
      folded: encodeKept({ revision: 0, state: "", problem })
    }
  },
  fold: (stream, before, events) => (stream.startsWith(runCodec.prefix ?? "") ? run : watch)(stream, before, events)
}
