import { assert, describe, it } from "@effect/vitest"
import { written } from "../src/Html.ts"
import { musiciansPart, todoPart } from "../src/view/TodoPart.ts"

describe("command-line#page", () => {
  const task = { id: "<b>solo</b>", state: "working", sessionId: "s-1", lastHeartbeat: null, windowPid: 7 }
  it("musicians are shown by their state, heartbeat, window and session, and where there are none nothing is", () => {
    const shown = written(
      musiciansPart([
        { ...task, heartbeatAge: 65_000 },
        { ...task, heartbeatAge: null }
      ])
    )
    assert.include(shown, "2 tasks in its comms")
    assert.include(shown, "&lt;b&gt;solo&lt;/b&gt;")
    assert.include(shown, "heartbeat 1 m 5 s ago, window pid 7, session s-1")
    assert.include(shown, "no heartbeat, window pid 7, session s-1")
    assert.include(written(musiciansPart([])), '<section id="musicians" hidden>')
  })
  it("an agent that keeps no list has none, and an empty one is none", () => {
    for (const none of [null, []]) assert.include(written(todoPart(none)), '<section id="todos" hidden>')
  })
})
