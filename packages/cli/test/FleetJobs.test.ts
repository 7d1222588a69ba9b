import { assert, describe, it } from "@effect/vitest"
import { Event, watchCodec } from "@souffleur/domain"
import { type FleetEvent, FleetJob, maxViewed } from "@souffleur/fleet"
import { ownerOf } from "@souffleur/testing"
import { Schema } from "effect"
import { runCodec } from "@souffleur/plan"
import { examples as watchExamples } from "../../domain/test/fixtures/events/Examples.ts"
import { examples as runExamples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { fleetJobs } from "../src/fleet/FleetJobs.ts"
import { fleetRows } from "../src/fleet/FleetTable.ts"
import { gone, handedOn, recovering, watching } from "./mcp/McpPlace.ts"

/** Events as their host ships them, from a revision on. */
const shipped = (events: ReadonlyArray<Event.WatchEvent>, first = 1): ReadonlyArray<FleetEvent> =>
  events.map((event, n) => {
    const { at, data, tag, version } = watchCodec.encode(event)
    return [first + n, "w", first + n, tag, version, at, data]
  })

const history = [...watching({ project: "/p", comms: null }), handedOn, recovering]
const left = Event.OwnerLeft.make({ at: 5000, fence: 1 })

const isFleetJob = Schema.is(FleetJob)

const stored = {
  watch: Object.values(watchExamples).map(watchCodec.encode),
  run: Object.values(runExamples).map(runCodec.encode)
}
const drawnOf = (all: ReadonlyArray<unknown>) => Schema.Array(Schema.Literals(all.map((_, n) => n)))

describe("fleet#view", () => {
  it("a job is the same whether its events come together, one at a time, or twice", () => {
    const all = shipped([...history, left])
    const whole = fleetJobs.fold("w", undefined, all)
    assert.deepInclude(whole.job, {
      kind: "watch",
      id: "w",
      project: "/p",
      agent: "claude",
      state: "needs you",
      generation: 1,
      at: 5000
    })
    assert.deepStrictEqual(whole.job.need, { why: "no souffleur looks after it", next: "souffleur resume w" })
    const parts = all.reduce<string | undefined>((kept, event) => fleetJobs.fold("w", kept, [event]).folded, undefined)
    assert.strictEqual(parts, whole.folded)
    assert.deepStrictEqual(fleetJobs.fold("w", whole.folded, all), whole)
    assert.deepInclude(fleetJobs.fold("w", undefined, shipped(history)).job, { state: "recovering", need: null })
  })

  it("a job says from where on it is not known: an unknown event, a gap, data that fits no event", () => {
    const known = shipped(history)
    const next = shipped([left], known.length + 1)
    const [last] = next
    const told = (...more: ReadonlyArray<FleetEvent>) => fleetJobs.fold("w", undefined, [...known, ...more])
    const newer = told([9, "w", 9, "Unheard", 99, 1, "{}"])
    assert.deepInclude(newer.job, { state: "recovering", need: null })
    assert.match(newer.job.standing, /^as far as it is known: cannot be read from event 9 on: .* newer souffleur/u)
    assert.deepStrictEqual(fleetJobs.fold("w", newer.folded, next).job, newer.job, "nothing is folded after it")
    assert.include(told([10, "w", 10, ...last!.slice(3)] as unknown as FleetEvent).job.standing, "event 9 is missing")
    assert.include(told([9, "w", 9, "OwnerLeft", 1, 1, ""]).job.standing, "is no JSON")
    assert.include(told([9, "w", 9, "OwnerLeft", 1, 1, '{"fence":"1"}']).job.standing, "does not fit at: fence")
  })

  it("a job that is too large is no longer kept, and says so", () => {
    const large = shipped([{ ...opened, project: "x".repeat(1_100_000) }])
    const { folded, job } = fleetJobs.fold("w", undefined, large)
    assert.isBelow(folded.length, 1000)
    assert.deepInclude(job, { project: "", standing: "as far as it is known: it is too large to be listed" })
    assert.deepStrictEqual(fleetJobs.fold("w", folded, shipped([left], 2)).job, job)
  })
  it("a list of a fleet has no control character of a host", () => {
    const note = { ...opened.note, title: "t\u0007" }
    const all = shipped([{ ...opened, note, project: "/p\n\u001B]0;x\u0007" }])
    const { job } = fleetJobs.fold("w\u001B[2J", undefined, all)
    assert.deepInclude(job, {
      id: String.raw`w\u001b[2J`,
      project: String.raw`/p\u000a\u001b]0;x\u0007`,
      title: String.raw`t\u0007`
    })
  })

  it("a view whose hosts write as much as they can has room in the answer that people take", () => {
    for (const character of ["\u0007", "€"]) {
      const project = character.repeat(5000)
      const { job } = fleetJobs.fold(character.repeat(200), undefined, shipped([{ ...opened, project }]))
      const most = { ...job, standing: job.project, need: { why: job.project, next: job.project } }
      // The answer has 16 MB at most, also for the hosts.
      assert.isBelow(Buffer.byteLength(JSON.stringify(most)) * maxViewed, 10_000_000)
    }
  })

  it("a run of a plan is a job too", () => {
    const { job } = fleetJobs.fold("run/plan-1", undefined, [[1, "run/plan-1", 1, "Unheard", 1, 0, "{}"]])
    assert.deepInclude(job, { kind: "run", id: "plan-1", need: null })
  })
  it("a run whose host counts its attempts from nothing is listed, as one whose events come together", () => {
    const { AgentAsked, AgentNeverRan, RunOpened } = runExamples
    const events = [RunOpened, { ...AgentAsked, attempt: 0 }, AgentNeverRan].map((event, n): FleetEvent => {
      const { at, data, tag, version } = runCodec.encode(event)
      return [n + 1, "run/auth-1", n + 1, tag, version, at, data]
    })
    const { job } = fleetJobs.fold("run/auth-1", undefined, events)
    assert.strictEqual(job.project, RunOpened.project)
  })
  it.prop(
    "the events of a host never stop the fold, in whatever order and shape they come",
    [drawnOf(stored.watch), drawnOf(stored.run), Schema.Json, Schema.String],
    ([watches, runs, json, stream]) => {
      const folded = (name: string, all: (typeof stored)["watch"], drawn: ReadonlyArray<number>) => {
        const events = drawn.map((of, n): FleetEvent => {
          const { at, data, tag, version } = all[of]!
          return [n + 1, name, n + 1, tag, version, at, data]
        })
        const [, , , tag = "WatchOpened"] = events.at(-1) ?? []
        const odd: FleetEvent = [1, name, events.length + 1, tag, 1, 0, JSON.stringify(json)]
        return fleetJobs.fold(name, undefined, [...events, odd]).job
      }
      for (const name of [stream.replaceAll("/", ""), "\u0007".repeat(200)])
        assert.isTrue(isFleetJob(folded(name, stored.watch, watches)))
      assert.isTrue(isFleetJob(folded(`run/${stream}`, stored.run, runs)))
    }
  )

  it("a silent host's jobs are told as last known, and a host without any is a row", () => {
    const log = "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1"
    const other = "5f1f0f62-3b58-4d6e-8f0b-7f3b8a4f7d22"
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
    const { job } = fleetJobs.fold("w", undefined, shipped(history))
    const rows = (change: Partial<typeof host>) =>
      fleetRows({
        now: 0,
        hosts: [
          { ...host, ...change },
          { ...host, name: "two", log: other }
        ],
        jobs: [{ ...job, log }],
        more: 0
      })
    const [lively, idle] = rows({})
    assert.strictEqual(lively?.host, "one")
    assert.deepInclude(lively?.watch, { watch: "w", state: "recovering", standing: "recovering" })
    assert.deepStrictEqual(idle, { host: "two", problem: null, watch: undefined, lastKnown: false })
    assert.isFalse(lively?.lastKnown)
    const [silent] = rows({ lastSeenAgo: 300_000 })
    assert.strictEqual(silent?.host, "one, silent for 5 m 0 s")
    assert.deepInclude(silent?.watch, { state: "recovering", standing: "recovering" })
    assert.isTrue(silent?.lastKnown)
    assert.include(rows({ forked: true })[0]?.host, "forked")
    assert.include(rows({ revoked: true })[0]?.host, "revoked")
  })

  it("an owner in the log counts as alive, because its process cannot be seen from afar", () => {
    const took = Event.OwnerTook.make({ at: 1, fence: 2, owner: { ...ownerOf(3), process: gone } })
    assert.deepInclude(fleetJobs.fold("w", undefined, shipped([...history, left, took])).job, { need: null })
  })
})

const opened = history[0] as typeof Event.WatchOpened.Type
