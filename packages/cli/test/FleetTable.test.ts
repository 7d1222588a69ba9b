import { assert, describe, it } from "@effect/vitest"
import type { FleetHost, FleetView } from "@souffleur/fleet"
import { fleetNeeds, fleetRows } from "../src/fleet/FleetTable.ts"
import { hostTable } from "../src/hosts/HostTable.ts"

const [log, other] = ["0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1", "5f1f0f62-3b58-4d6e-8f0b-7f3b8a4f7d22"]
const host = {
  name: "one",
  host: "h",
  log,
  lastSeenAgo: 1000,
  away: false,
  forked: false,
  revoked: false,
  takesWords: true,
  full: false,
  behind: 0
}
const job = {
  kind: "watch",
  id: "w",
  log,
  project: "/p",
  agent: "claude",
  title: "nightly",
  state: "needs you",
  standing: "standing by",
  need: { why: "it stands by (launch)", next: "souffleur why w" },
  generation: 1,
  revision: 9,
  at: 0
} as const
type Job = FleetView["jobs"][number]

const needs = (
  { speaks = true, ...change }: Partial<Job> & { readonly speaks?: boolean },
  of: Partial<FleetHost> = {}
) => fleetNeeds({ now: 0, hosts: [{ ...host, ...of }], jobs: [{ ...job, ...change }], more: 0 }, speaks)

const stateColumn = (hosts: ReadonlyArray<FleetHost>, jobs: ReadonlyArray<Job>) =>
  hostTable(fleetRows({ now: 0, hosts, jobs, more: 0 }), 0, undefined)
    .slice(1)
    .map((line) => line.split(/ {2,}/u).at(-1))

describe("fleet#view", () => {
  it("a need that a word meets names the command of this machine, where its host takes words", () => {
    const why = "w: it stands by (launch). There: souffleur why w"
    assert.deepStrictEqual(needs({}), [{ next: "souffleur fleet retry one/w", why }])
    assert.deepStrictEqual(needs({ need: { why: "it is held", next: "souffleur go w" } }), [
      { next: "souffleur fleet go one/w", why: "w: it is held" }
    ])
    const resume = { why: "no souffleur looks after it", next: "souffleur resume w" }
    assert.deepStrictEqual(needs({ need: resume }), [
      { next: "on one", why: "w: no souffleur looks after it. There: souffleur resume w" }
    ])
    // An ended watch is not retried, a run takes no word, and a hub says no words of its own.
    for (const change of [{ state: "ended" }, { kind: "run" }, { speaks: false }] as const)
      assert.deepStrictEqual(needs(change), [{ next: "on one", why }])
    assert.strictEqual(needs({}, { takesWords: false })[0]?.next, "on one")
    assert.strictEqual(needs({}, { lastSeenAgo: 66_000 })[0]?.next, "on one, silent for 1 m 6 s")
    assert.deepStrictEqual(needs({ need: null }), [])
  })

  it("a name that a shell could obey is part of no command", () => {
    const odd = "w; reboot"
    const need = { why: "it is held", next: `souffleur go ${odd}` }
    assert.deepStrictEqual(needs({ id: odd, need }), [{ next: "on one", why: `${odd}: it is held` }])
    assert.strictEqual(needs({}, { name: "$(reboot)" })[0]?.next, "on $(reboot)")
  })

  it("a host that is silent or forked has its own next step", () => {
    const silence = { next: "on one", why: 'silent for 1 m 6 s: "souffleur fleet status" there says more' }
    assert.deepStrictEqual(needs({ need: null }, { lastSeenAgo: 66_000 }), [silence])
    const fork = fleetNeeds({ now: 0, hosts: [{ ...host, forked: true }], jobs: [], more: 0 }, true)
    assert.deepStrictEqual(fork, [
      { next: "on one", why: 'another machine has its log too: "souffleur fleet rename" on each of the two ends that' }
    ])
  })

  it("a host is away after a goodbye, and has no need of a person", () => {
    const away = { away: true, lastSeenAgo: 66_000 }
    assert.deepStrictEqual(needs({ need: null }, away), [])
    assert.strictEqual(needs({}, away)[0]?.next, "on one, away for 1 m 6 s")
    // A new shipper comes, as after an upgrade.
    assert.strictEqual(needs({}, { ...away, lastSeenAgo: 20_000 })[0]?.next, "souffleur fleet retry one/w")
  })
  it("the state of a silent host is the last known one", () => {
    const working = { ...job, state: "working", standing: "watching", need: null } as const
    assert.deepStrictEqual(stateColumn([host], [working]), ["working"])
    const silent = { ...host, lastSeenAgo: 66_000 }
    assert.deepStrictEqual(stateColumn([silent], [working]), ["last known: working"])
    assert.deepStrictEqual(stateColumn([silent], []), ["last known: no watch"])
    // An end is one, whatever its host does since.
    const ended = { ...job, state: "ended", standing: "completed", need: null } as const
    assert.deepStrictEqual(stateColumn([silent], [ended]), ["ended: completed"])
  })

  it("a forked log is told until its host has a newer one", () => {
    const forked = { ...host, forked: true }
    assert.deepStrictEqual(stateColumn([forked], []), ["its watches are not shown"])
    const renamed = { ...host, log: other, lastSeenAgo: 0 }
    assert.deepStrictEqual(stateColumn([forked, renamed], [{ ...job, log: other }]), [
      "needs you: it stands by (launch)"
    ])
    assert.deepStrictEqual(fleetNeeds({ now: 0, hosts: [forked, renamed], jobs: [], more: 0 }, true), [])
    assert.deepStrictEqual(stateColumn([{ ...host, revoked: true }], []), [])
  })
})

describe("command-line#status", () => {
  it("a row names its job, its title and its agent, where they are known", () => {
    const cells = (change: Partial<Job>) =>
      hostTable(fleetRows({ now: 0, hosts: [host], jobs: [{ ...job, ...change }], more: 0 }), 0, undefined)[1]
        ?.split(/ {2,}/u)
        .slice(1, 4)
    assert.deepStrictEqual(cells({}), ["w", "nightly", "claude"])
    assert.deepStrictEqual(cells({ title: null }), ["w", "claude", "S1"])
    assert.deepStrictEqual(cells({ title: null, agent: null })?.slice(0, 2), ["w", "S1"])
  })
})
