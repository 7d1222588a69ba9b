import { assert, describe, it } from "@effect/vitest"
import { describeEvent, describeFor, type Known, nameOf, renamed, type WatchEvent } from "../src/index.ts"
import { examples } from "./fixtures/events/Examples.ts"

const command: Known = { comms: null, kind: "command" }
const agent: Known = { comms: null, kind: "agent" }
const conductor: Known = { comms: "/comms.db", kind: "agent" }
const all = Object.values(examples) as ReadonlyArray<WatchEvent>

describe("command-line#screen", () => {
  it("without comms no sentence speaks of a Conductor, and of a command none speaks of a recovery", () => {
    for (const event of all)
      for (const known of [agent, command]) {
        const { own, text } = describeFor(event, known)
        assert.match(text, /^(?:[A-Z]|souffleur |claude_export ).*[.!?…]$/u, event._tag)
        assert.notMatch(own, /\b(?:the|an?) Conductor\b|successor/iu, event._tag)
      }
    const { ConductorRelaunched: back, RecoveryStarted: begins } = examples
    const relaunched = { ...back, provider: "restart", sessionId: "", generation: 2 }
    const { pid } = back.conductor
    assert.strictEqual(describeFor(relaunched, command).text, `The command runs again (S2, pid ${pid}).`)
    assert.strictEqual(describeFor(begins, command).text, "souffleur starts the command again.")
    assert.strictEqual(describeFor(begins, agent).text, "souffleur brings the agent back.")
    assert.match(
      describeFor({ ...back, provider: "resume" }, agent).text,
      /^The agent is back .*: its session is resumed\.$/u
    )
  })
})

it("the words of the log stay with comms", () => {
  for (const event of all) assert.deepStrictEqual(describeFor(event, conductor), describeEvent(event), event._tag)
  assert.deepStrictEqual([conductor, agent, command].map(nameOf), ["the Conductor", "the agent", "the command"])
  assert.strictEqual(
    renamed("A Conductor hangs; the Conductor (S2) is well.", agent),
    "An agent hangs; the agent is well."
  )
  assert.strictEqual(renamed("A Conductor hangs.", command), "A command hangs.")
})

describe("behaviour#hand-over", () => {
  it("an agent that a person chose has its own name, and the agent before it keeps its name until the launch", () => {
    const handing = { ...agent, agent: "codex", handedFrom: "claude" }
    const handed = { ...agent, agent: "codex" }
    const { ConductorDied: died, ConductorRelaunched: back, RecoveryStarted: begins } = examples
    assert.match(describeFor(died, handed).text, /^Codex /u)
    assert.match(describeFor(died, handing).text, /^Claude /u)
    assert.strictEqual(describeFor(begins, handing).text, "souffleur stops claude, and exports its conversation.")
    assert.match(
      describeFor({ ...back, provider: "handover" }, handing).text,
      /^Codex goes on .*: it reads an export of the conversation before\.$/u
    )
    assert.strictEqual(
      renamed("The Conductor hangs; the Conductor (S2) is well.", handed),
      "Codex hangs; codex is well."
    )
    assert.strictEqual(nameOf({ ...handed, comms: "/comms.db" }), "the Conductor")
  })
})
