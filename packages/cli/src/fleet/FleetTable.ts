import { FleetWord, iso } from "@souffleur/domain"
import type { Need } from "@souffleur/embed/internal"
import {
  FleetDesk,
  type FleetHost,
  type FleetView,
  newestLogs,
  saidGoodbye,
  silenceOf,
  silentMillis,
  troubleOf
} from "@souffleur/fleet"
import { Effect } from "effect"
import type { HostRow } from "../hosts/HostStatus.ts"
import { needLine, tellRows } from "../hosts/HostTable.ts"
import { printJson } from "../Printing.ts"
import { layerDesk } from "./JoinedFleet.ts"

type Job = FleetView["jobs"][number]

/** Returns the name of a host with what is wrong with it. */
const shown = (host: FleetHost) => [host.name, troubleOf(host)].filter((one) => one !== undefined).join(", ")

/**
 * Returns the rows of a fleet, in its order. Each job of a host in trouble says so, and is shown as last known. A host
 * without a job is shown by its newest log.
 */
export const fleetRows = ({ hosts, jobs }: FleetView): ReadonlyArray<HostRow> => {
  const byLog = new Map(hosts.map((host) => [host.log, host]))
  const found = jobs.map(({ at, id, log, ...job }): HostRow => {
    const host = byLog.get(log)
    return {
      host: host === undefined ? log : shown(host),
      problem: null,
      watch: { ...job, watch: id, last_event_at: iso(at) },
      lastKnown: job.state !== "ended" && host !== undefined && silenceOf(host) !== undefined
    }
  })
  const busy = new Set(jobs.map(({ log }) => log))
  const idle = newestLogs(hosts)
    .filter(({ log }) => !busy.has(log))
    .map((host): HostRow => ({
      host: shown(host),
      problem: host.forked ? "its watches are not shown" : null,
      watch: undefined,
      lastKnown: silenceOf(host) !== undefined
    }))
  return [...found, ...idle]
}

/** Returns the word that meets the need of a watch. `why` explains a standby, and `retry` ends it. */
const wordFor = ({ id, kind, need, state }: Job): FleetWord | undefined => {
  if (kind === "run" || need === null) return undefined
  if (state === "needs you" && need.next === `souffleur why ${id}`) return "retry"
  return FleetWord.literals.find((word) => need.next === `souffleur ${word} ${id}`)
}

/** A name that a person can type as it is. */
const plainName = /^\w[\w.-]*$/u

const needOfJob = (host: FleetHost, job: Job, need: Need, speaks: boolean): Need => {
  const word = speaks ? wordFor(job) : undefined
  const why = `${job.id}: ${needLine(need)}`
  const hears = host.takesWords && !host.forked && !host.revoked && silenceOf(host) === undefined
  if (word === undefined || !hears || !plainName.test(host.name) || !plainName.test(job.id))
    return { next: `on ${shown(host)}`, why }
  const said = need.next === `souffleur ${word} ${job.id}`
  return { next: `souffleur fleet ${word} ${host.name}/${job.id}`, why: said ? `${job.id}: ${need.why}` : why }
}

const needOfHost = (host: FleetHost): ReadonlyArray<Need> => {
  const next = `on ${host.name}`
  if (host.forked)
    return [{ next, why: 'another machine has its log too: "souffleur fleet rename" on each of the two ends that' }]
  // A goodbye is no trouble.
  const silence = saidGoodbye(host) ? undefined : silenceOf(host)
  return [
    ...(silence === undefined ? [] : [{ next, why: `${silence}: "souffleur fleet status" there says more` }]),
    ...(host.full
      ? [
          {
            next,
            why: 'it has shipped all bytes that this hub takes in a day ("souffleur hub serve --quota"); it goes on tomorrow'
          }
        ]
      : [])
  ]
}

/** Returns what a fleet needs from a person: its jobs first, then its hosts. `speaks`: to one who has logged in. */
export const fleetNeeds = ({ hosts, jobs }: FleetView, speaks: boolean): ReadonlyArray<Need> => {
  const byLog = new Map(hosts.map((host) => [host.log, host]))
  return [
    ...jobs.flatMap((job) => {
      const host = byLog.get(job.log)
      return job.need === null || host === undefined ? [] : [needOfJob(host, job, job.need, speaks)]
    }),
    ...newestLogs(hosts).flatMap(needOfHost)
  ]
}

/** Prints a fleet as its hub shows it (spec: command-line#status). `speaks`: to a person who has logged in. */
export const printView = Effect.fn("printView")(function* (
  view: FleetView,
  { asJson, speaks }: { readonly asJson: boolean; readonly speaks: boolean }
) {
  if (asJson)
    return yield* printJson({
      hosts: view.hosts.map((host) => ({
        name: host.name,
        host: host.host,
        log: host.log,
        last_seen_ms: host.lastSeenAgo,
        silent: host.lastSeenAgo > silentMillis,
        away: saidGoodbye(host),
        forked: host.forked,
        revoked: host.revoked,
        takes_words: host.takesWords,
        full: host.full,
        behind_ms: host.behind
      })),
      jobs: view.jobs.map(({ at, ...job }) => ({ ...job, last_event_at: iso(at) })),
      more: view.more
    })
  yield* tellRows(fleetRows(view), fleetNeeds(view, speaks))
})

/** Prints the fleet that the person of this state folder sees. Fails with `BadUsage` where none has logged in. */
export const printFleet = Effect.fn("printFleet")(function* (how: { readonly asJson: boolean }) {
  yield* printView(
    yield* Effect.provide(
      FleetDesk.use(({ view }) => view),
      layerDesk
    ),
    { ...how, speaks: true }
  )
})
