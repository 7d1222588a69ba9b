import { iso } from "@souffleur/domain"
import { FleetDesk, type FleetView, silentMillis, troubleOf } from "@souffleur/fleet"
import { Effect } from "effect"
import type { HostRow } from "../hosts/HostStatus.ts"
import { needLine, tellRows } from "../hosts/HostTable.ts"
import { printJson } from "../Printing.ts"
import { layerDesk } from "./JoinedFleet.ts"

type Host = FleetView["hosts"][number]

/** Returns the rows of a fleet, in its order. Each job of a host in trouble says so, and is shown as last known. */
export const fleetRows = ({ hosts, jobs }: FleetView): ReadonlyArray<HostRow> => {
  const shown = (host: Host) => [host.name, troubleOf(host)].filter((one) => one !== undefined).join(", ")
  const names = new Map(hosts.map((host) => [host.log, shown(host)]))
  const found = jobs.map(({ at, id, log, ...job }): HostRow => ({
    host: names.get(log) ?? log,
    problem: null,
    watch: { ...job, watch: id, last_event_at: iso(at) }
  }))
  const busy = new Set(jobs.map(({ log }) => log))
  const idle = hosts
    .filter(({ log }) => !busy.has(log))
    .map((host): HostRow => ({ host: shown(host), problem: null, watch: undefined }))
  return [...found, ...idle]
}

/** Prints a fleet as its hub shows it (spec: command-line#status). */
export const printView = Effect.fn("printView")(function* (view: FleetView, { asJson }: { readonly asJson: boolean }) {
  if (asJson)
    return yield* printJson({
      hosts: view.hosts.map((host) => ({
        name: host.name,
        host: host.host,
        log: host.log,
        last_seen_ms: host.lastSeenAgo,
        silent: host.lastSeenAgo > silentMillis,
        forked: host.forked,
        revoked: host.revoked,
        takes_words: host.takesWords
      })),
      jobs: view.jobs.map(({ at, ...job }) => ({ ...job, last_event_at: iso(at) })),
      more: view.more
    })
  yield* tellRows(fleetRows(view), (host, watch, need) => ({ next: `on ${host}`, why: `${watch}: ${needLine(need)}` }))
})

/** Prints the fleet that the person of this state folder sees. Fails with `BadUsage` where none has logged in. */
export const printFleet = Effect.fn("printFleet")(function* (how: { readonly asJson: boolean }) {
  yield* printView(
    yield* Effect.provide(
      FleetDesk.use(({ view }) => view),
      layerDesk
    ),
    how
  )
})
