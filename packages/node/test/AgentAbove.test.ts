import { assert, describe, it } from "@effect/vitest"
import { agentAbove } from "../src/processes/AgentAbove.ts"

const line = "SOUFFLEUR_STATE_DIR='/s' '/node' '/hook.js' hook scribe 2>/dev/null || true"
const shell = { pid: 50, words: ["/bin/sh", "-c", line] }
const person = { pid: 10, words: ["bash"] }

describe("behaviour#hooks-of-the-agent", () => {
  it("the agent that ran a hook is the nearest process that is no shell of the hook", () => {
    const agent = { pid: 40, words: ["/usr/lib/scribe", "-p", "x"] }
    assert.strictEqual(agentAbove("scribe", [shell, agent, person]), 40)
    assert.strictEqual(agentAbove("scribe", [{ pid: 51, words: ["bash", "-lc", line] }, shell, agent, person]), 40)
    assert.strictEqual(agentAbove("scribe", [agent, person]), 40)
    assert.isUndefined(agentAbove("scribe", [shell]))
    assert.isUndefined(agentAbove("scribe", []))
  })
  it("a launcher is named in place of the agent that it waits for", () => {
    const agent = { pid: 40, words: ["/node", "--expose-gc", "/lib/cli.js", "--model", "m"] }
    const launcher = { pid: 30, words: ["node", "/usr/bin/scribe", "--model", "m"] }
    assert.strictEqual(agentAbove("scribe", [shell, agent, launcher, person]), 30)
    // An agent that launches itself again does so under the same command line.
    assert.strictEqual(agentAbove("scribe", [shell, agent, { ...agent, pid: 35 }, launcher, person]), 30)
    // Without arguments it is told by its script alone, and not by what it lacks.
    const bare = { pid: 30, words: ["node", "/usr/bin/scribe"] }
    assert.strictEqual(agentAbove("scribe", [shell, { pid: 40, words: ["/lib/native"] }, bare, person]), 30)
  })

  it("an agent within a tool of another is not named as that other", () => {
    const inner = { pid: 40, words: ["node", "/usr/bin/scribe", "-p", "y"] }
    const outer = { pid: 20, words: ["node", "/usr/bin/scribe", "-p", "x"] }
    assert.strictEqual(agentAbove("scribe", [shell, inner, outer]), 40)
    assert.strictEqual(agentAbove("scribe", [shell, inner, person, outer]), 40)
  })
})
