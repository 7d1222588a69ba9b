import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { place, services, watching } from "./mcp/McpPlace.ts"
import { printedAt } from "./Printed.ts"

/** Returns the lines and the exit code of `souffleur state` of a watch with six events. */
const stated = Effect.fnUntraced(function* (sessionId: string, ...flags: ReadonlyArray<string>) {
  const { project, stateDir, watch } = yield* place({ comms: false })
  const events = watching({ project, comms: null })
  yield* watch(
    "w",
    events.map((event) => ("sessionId" in event ? { ...event, sessionId } : event))
  )
  const lines: Array<string> = []
  const variables = { HOME: project, SOUFFLEUR_STATE_DIR: stateDir }
  const code = yield* Effect.match(
    printedAt({ cwd: project, variables, interactive: false, lines }, "state", "w", ...flags),
    { onFailure: (ended) => ended.code, onSuccess: () => 0 }
  )
  return { code, lines }
})

describe("command-line#looking", () => {
  it.layer(services)((it) => {
    it.effect("the state at a revision that a watch does not have yet is refused, as its decision is", () =>
      Effect.gen(function* () {
        const ahead = yield* stated("s1", "--at", "99")
        assert.strictEqual(ahead.code, 2)
        assert.include(ahead.lines.join("\n"), "w has 6 events, and none with revision 99")
      })
    )
    it.effect("the state at the newest revision is the state now", () =>
      Effect.gen(function* () {
        const { code, lines } = yield* stated("s1", "--at", "6")
        assert.deepStrictEqual([code, lines[0]], [0, "watch        w, revision 6"])
      })
    )
    it.effect("a Conductor without a session has none in its state", () =>
      Effect.gen(function* () {
        const line = ({ lines }: { readonly lines: ReadonlyArray<string> }) => lines.find((one) => one.includes("pid "))
        assert.match(line(yield* stated("s1"))!, /pid 4190000, session s1$/u)
        assert.match(line(yield* stated(""))!, /pid 4190000$/u)
      })
    )
  })
})
