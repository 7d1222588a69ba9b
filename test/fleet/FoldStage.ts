import type { FleetEvent, FleetJob } from "@souffleur/fleet"
import type { HubProjection, JobFold } from "@souffleur/hub"
import { type Context, Effect } from "effect"
import { eventAt } from "./HubStage.ts"

/** A state word in the data of an event is that of its job. `kept`: the positions that were folded. */
export const foldAt = (rules: string, folded: Array<number> = []): JobFold => ({
  rules,
  lost: ([position, stream]) => ({
    job: {
      kind: "watch",
      id: stream,
      project: "/p",
      agent: null,
      title: null,
      state: "working",
      standing: `lost at ${position}`,
      need: null,
      generation: 1,
      revision: 0,
      at: 0
    },
    folded: JSON.stringify("lost")
  }),
  fold: (stream, before, events) => {
    folded.push(...events.map(([position]) => position))
    const last = events.at(-1)!
    const words: Partial<FleetJob> = last[6].startsWith("{") ? JSON.parse(last[6]) : { standing: `${last[6].length}` }
    const kept = [...JSON.parse(before ?? "[]"), ...events.map(([position]) => position)]
    const job = {
      kind: "watch",
      id: stream,
      project: "/p",
      agent: null,
      title: null,
      state: "working",
      standing: kept.join(),
      need: null
    } as const
    return { job: { ...job, generation: 1, revision: 1, at: 0, ...words }, folded: JSON.stringify(kept) }
  }
})

/** A job in a stream of its own. */
export const jobAt = (position: number, words: Partial<FleetJob>, stream = `w${position}`): FleetEvent => {
  const [at, , ...rest] = eventAt(position, JSON.stringify(words))
  return [at, stream, ...rest]
}

/** Passes until nothing is left to fold. */
export const caughtUp = ({ pass }: Context.Service.Shape<typeof HubProjection>) =>
  Effect.repeat(pass, { until: (count) => count === 0 })
