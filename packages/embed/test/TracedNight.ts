import { Event, type Recorded, type WatchEvent } from "@souffleur/domain"
import { Effect } from "effect"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"

const at = <E extends WatchEvent>(at: number, event: E): E => ({ ...event, at })
const started = Event.RecoveryStarted.make({ at: 0, cycle: 1, purpose: "relaunch", trigger: "pid" })
const step = (time: number, attempt: number) => at(time, { ...examples.StepStarted, step: "trim", attempt })

/** When the hand-off of {@link TracedNight} is taken. */
const taken = 9000

/** A death, and a recovery in which souffleur was killed: its second attempt is another souffleur's. */
const events: ReadonlyArray<WatchEvent> = [
  at(1000, examples.WatchOpened),
  at(2000, examples.ConductorConfirmed),
  at(5000, { ...examples.ConductorDied, reason: "pid" }),
  at(5500, started),
  step(6000, 1),
  at(7000, examples.OwnerTook),
  step(7100, 2),
  at(7500, { ...examples.StepSucceeded, step: "trim" }),
  at(8000, { ...examples.ConductorRelaunched, generation: 2, provider: "resume" }),
  at(taken, { ...examples.HandoffTaken, contextTokens: 484 })
]

const recorded: ReadonlyArray<Recorded> = events.map((event, n) => ({
  stream: "opera-1507",
  position: n + 1,
  revision: n + 1,
  event
}))

export const TracedNight = { events, recorded, taken }

/** A request as a collector got it. */
export interface Collected {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Starts a collector on loopback, which answers each request with the next of these, and then with 200. */
export const collector = Effect.fnUntraced(function* (...answers: ReadonlyArray<number>) {
  const got: Array<Collected> = []
  const left = [...answers]
  const server = createServer((asked, answer) => {
    const parts: Array<Buffer> = []
    asked.on("data", (part: Buffer) => parts.push(part))
    asked.on("end", () => {
      const body = Buffer.concat(parts)
      const { headers, url = "" } = asked
      got.push({ url, headers, body: headers["content-encoding"] === "gzip" ? gunzipSync(body) : body })
      answer.writeHead(left.shift() ?? 200).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})
