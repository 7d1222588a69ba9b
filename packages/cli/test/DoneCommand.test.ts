import { assert, describe, it } from "@effect/vitest"
import { Processes as ProcessesPort, type WatchEvent } from "@souffleur/domain"
import { Processes } from "@souffleur/node"
import { Effect, Option } from "effect"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { gone, handedOn, place, recovering, relaunched, services, watching } from "./mcp/McpPlace.ts"

interface Saying {
  readonly session: string
  readonly launch?: string
  readonly agentPid?: string
  /** WATCH, named. */
  readonly name?: string
  readonly kind?: "command"
  readonly conductor?: typeof gone
}

/**
 * `souffleur done` in the folder of a watch in its second generation, which is session s2, launched as
 * `w-g2-c1-6-launch-1`.
 */
const said = Effect.fnUntraced(function* ({
  agentPid = "",
  conductor = gone,
  kind,
  launch = "",
  name,
  session
}: Saying) {
  const { as, comms, events, project, watch } = yield* place()
  const [opened, ...rest] = watching({ project, comms })
  yield* watch("w", [
    { ...opened!, ...(kind === undefined ? {} : { kind }) } as WatchEvent,
    ...rest,
    handedOn,
    recovering
  ])
  yield* watch("w", [{ ...relaunched, conductor }])
  const before = (yield* TestConsole.errorLines).length
  const code = yield* Effect.match(cli(["done", ...(name === undefined ? [] : [name]), "--project-dir", project]), {
    onFailure: (ended) => ended.code,
    onSuccess: () => 0
  }).pipe(as(session, { SOUFFLEUR_LAUNCH_ID: launch, CLAUDE_PID: agentPid }))
  const ended = (yield* events("w")).find((event) => event._tag === "ConductorCompleted")
  const by = ended?._tag === "ConductorCompleted" ? ended.by : undefined
  return { said: [code, by], why: (yield* TestConsole.errorLines).slice(before).join("\n") }
})
const [present, earlier] = ["w-g2-c1-6-launch-1", "w-g1-c0-launch-1"]
const parent = ProcessesPort.use((processes) => processes.find(process.ppid)).pipe(
  Effect.map((found) => Option.getOrThrow(found).identity),
  Effect.provide(Processes.layer)
)
/** `None` in a container that has no more. */
const aboveParent = Effect.gen(function* () {
  const processes = yield* ProcessesPort
  const [, pid = 0] = yield* processes.ancestors
  return yield* processes.find(pid)
}).pipe(Effect.provide(Processes.layer))

describe("behaviour#done", () => {
  it.layer(services)((it) => {
    it.effect("done is the Conductor's own word by its session, or by its launch where the session is not known", () =>
      Effect.gen(function* () {
        const words: ReadonlyArray<Saying> = [
          { session: "s2" },
          { session: "s2", launch: present },
          { session: "", launch: present },
          // A command is of no session, whatever it inherited.
          { session: "s9", launch: present, kind: "command" }
        ]
        for (const word of words) assert.deepStrictEqual((yield* said(word)).said, [0, "agent"], JSON.stringify(word))
      })
    )
    it.effect("done is the Conductor's own word after a new conversation too, by its process", () =>
      Effect.gen(function* () {
        const conductor = yield* parent
        assert.deepStrictEqual((yield* said({ session: "cleared", conductor, agentPid: String(conductor.pid) })).said, [
          0,
          "agent"
        ])
        // An agent that one of its tools has started is another, though it descends from it.
        assert.deepStrictEqual(
          (yield* said({ session: "nested", conductor, launch: present, agentPid: "4190001" })).said,
          [2, undefined]
        )
        // That agent is between the Conductor and this process.
        const above = yield* aboveParent
        if (Option.isNone(above)) return
        const nested = { session: "nested", conductor: above.value.identity, agentPid: String(conductor.pid) }
        assert.deepStrictEqual((yield* said(nested)).said, [2, undefined])
      })
    )
    it.effect("done of an earlier generation or of another agent in the folder is bad usage that says what to do", () =>
      Effect.gen(function* () {
        const words: ReadonlyArray<Saying> = [
          { session: "s1" },
          { session: "s1", launch: earlier },
          { session: "", launch: earlier },
          { session: "s9" },
          { session: "s9", launch: present },
          { session: "s9", kind: "command" }
        ]
        for (const word of words) {
          const { said: outcome, why } = yield* said(word)
          assert.deepStrictEqual(outcome, [2, undefined], JSON.stringify(word))
          assert.match(why, /not the Conductor of watch w.*souffleur done w/u)
        }
      })
    )
    it.effect("done is a person's word in the folder, and for a named watch in any folder", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* said({ session: "" })).said, [0, "operator"])
        assert.deepStrictEqual((yield* said({ session: "", name: "w" })).said, [0, "operator"])
        assert.deepStrictEqual((yield* said({ session: "s9", name: "w" })).said, [0, "operator"])
      })
    )
  })
})
