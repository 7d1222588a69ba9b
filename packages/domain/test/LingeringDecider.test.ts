import { assert, describe, it } from "@effect/vitest"
import { Event, type WatcherExit, type WatchIntent } from "../src/index.ts"
import { at, evidence, given, watching } from "./Given.ts"

const lingering: WatcherExit = { _tag: "Lingering", since: 400 }
const reported: WatchIntent = { _tag: "ReportExit", watcher: 1, exit: lingering, tasks: null, evidence }
const ending = Event.EndingStarted.make({ at: 1000, cycle: 1, since: 400 })
const over: WatchIntent = { _tag: "ConcludeEnding", cycle: 1 }
const solo = watching.map((event) => (event._tag === "WatchOpened" ? { ...event, comms: null } : event))

describe("behaviour#an-agent-that-does-not-exit", () => {
  it("an agent whose process does not end after its turn is ended, and its next watcher judges that end", () => {
    given(...solo)
      .when(reported)
      .then(ending)
    const [ended] = given(...solo, ending)
      .when(over)
      .thenTags("EndingOver", "WatcherStarted")
    assert.deepInclude(ended, { ended: true })
    given(...solo, ending, ended!)
      .when(over)
      .thenRefused("not now")
  })

  it("a souffleur that only observes ends nothing, nor does one that is held", () => {
    const held = Event.HoldStarted.make({ at, byAgent: false })
    given(...solo, held)
      .when(reported)
      .then()
    given(...solo.map((event) => (event._tag === "WatchOpened" ? { ...event, observe: true } : event)))
      .when(reported)
      .then()
  })

  it("a hold leaves the agent as it is, and nothing of the work waits for its end", () => {
    const [, left] = given(...solo, ending)
      .when({ _tag: "Hold" })
      .thenTags("HoldStarted", "EndingOver", "WatcherStarted")
    assert.deepInclude(left, { ended: false })
  })
})
