import { encodeEvent, Event } from "@souffleur/domain"
import { type FleetBatch, type FleetEvent, type LogMark, markAfter, noMark } from "@souffleur/fleet"
import type { HubStore } from "@souffleur/hub"
import { HostHashing } from "@souffleur/node"
import { type Context, Effect, Redacted } from "effect"
import { Agent, request } from "node:http"
import { cycle } from "./Samples.ts"

/** Connections of all hosts together, as a proxy keeps them. */
const connections = 32

/** A host that is simulated: its token, its log, and how far it has shipped. */
export interface LoadHost {
  readonly token: string
  readonly log: string
  mark: LogMark
}

const process = { pid: 4_190_000, startTime: 1, bootId: "bench" }
const opening = Event.WatchOpened.make({
  at: 1_790_000_000_000,
  project: "/srv/opera",
  comms: null,
  pid: 1,
  sessionId: "",
  observe: false
})
const owner = { host: "bench", machine: null, pidNamespace: "pid:[1]", process }
const begun = [opening, Event.OwnerTook.make({ at: opening.at, fence: 1, owner })]
/** The event of a watch at a revision, as every host writes it. */
const recorded = [...begun, ...Array.from({ length: 30 }, (_, n) => cycle(n + 1, opening.at)).flat()].map(encodeEvent)

/** Returns the events of a log after a position. A watch has 302 of them, and then comes the next one. */
export const eventsAfter = (position: number, count: number): ReadonlyArray<FleetEvent> =>
  Array.from({ length: count }, (_, n) => {
    const at = position + n
    const { data, tag, version, at: time } = recorded[at % recorded.length]!
    return [at + 1, `watch-${Math.floor(at / recorded.length)}`, (at % recorded.length) + 1, tag, version, time, data]
  })

/** Returns the next batch of a host. */
export const batchAfter = (after: LogMark, count: number): Effect.Effect<FleetBatch> =>
  Effect.gen(function* () {
    const events = eventsAfter(after.position, count)
    const { digest } = yield* markAfter(after, events)
    return { after, digest, events, now: opening.at }
  }).pipe(Effect.provide(HostHashing.layer))

/** Enrols hosts. */
export const enrolled = (store: Context.Service.Shape<typeof HubStore>, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    (n) =>
      Effect.map(store.enrol(`host-${n}`), (token): LoadHost => ({
        token: Redacted.value(token),
        log: `0b0e9a54-96b1-4a6f-9f4e-${n.toString(16).padStart(12, "0")}`,
        mark: noMark
      })),
    { concurrency: 16 }
  )

/** Makes the connections of all hosts to a hub. A refusal is a defect. */
export const loadOn = Effect.fnUntraced(function* (url: string) {
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAlive: true, maxSockets: connections })),
    (agent) => Effect.sync(() => agent.destroy())
  )
  const ask = (method: string, path: string, { token }: LoadHost, body: string) =>
    Effect.callback<void>((resume) => {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body)
      }
      const sent = request(`${url}/v1/logs/${path}`, { method, agent, headers }, (answer) => {
        answer.resume()
        answer.on("end", () =>
          resume(answer.statusCode === 200 ? Effect.void : Effect.die(new Error(`HTTP status ${answer.statusCode}`)))
        )
      })
      sent.on("error", (error) => resume(Effect.die(error)))
      sent.end(body)
    })
  return {
    begin: (host: LoadHost) =>
      ask("PUT", host.log, host, JSON.stringify({ host: "bench", machine: "m", takesWords: false })),
    /** Ships the next events of a host; without any it is a beat. */
    ship: Effect.fnUntraced(function* (host: LoadHost, count: number) {
      const batch = yield* batchAfter(host.mark, count)
      yield* ask("POST", `${host.log}/events`, host, JSON.stringify(batch))
      host.mark = { position: host.mark.position + count, digest: batch.digest }
    })
  }
})

/** Lets many hosts act at once, and waits for all. */
export const together = <A, E, R>(hosts: ReadonlyArray<A>, act: (host: A) => Effect.Effect<void, E, R>) =>
  Effect.forEach(hosts, act, { concurrency: 2 * connections, discard: true })
