import { Hooks, Processes, type ProcessInfo, SessionNotFound, initial } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { layerPartialAgent } from "@souffleur/testing"
import { Effect, Layer, Option } from "effect"
import { pidCheck } from "../src/doctor/PidCheck.ts"
import { installed } from "./Installed.ts"

const identity = { pid: 10, startTime: 7, bootId: "b" }
const alive: ProcessInfo = { identity, parent: 1, uid: 1000, name: "claude", condition: "running" }
const following = { id: "w", watch: { ...initial, phase: "Watching" as const, conductor: identity } }

interface Case {
  readonly found?: ProcessInfo | undefined
  readonly ancestors?: ReadonlyArray<number>
  readonly isAgent?: boolean
  readonly holds?: string
  readonly file?: boolean
  readonly watched?: boolean
}
/** Returns the report of doctor on process 10: levels, and all words. */
const said = ({ ancestors = [], file = true, found = alive, holds, isAgent = true, watched = false }: Case) =>
  pidCheck(10, watched ? [following] : []).pipe(
    Effect.provide(
      Layer.mergeAll(
        Layer.mock(Processes)({
          self: { ...identity, pid: 1 },
          host: { name: "h", machine: "m", pidNamespace: "n", uid: 1000 },
          find: () => Effect.succeed(Option.fromUndefinedOr(found)),
          ancestors: Effect.succeed(ancestors),
          commandLine: () => Effect.succeed(["claude"])
        }),
        layerPartialAgent({
          isAgent: () => isAgent,
          inPrintMode: () => false,
          sessionFile: (sessionId) =>
            file
              ? Effect.succeed({ sessionId, path: "/s.jsonl" })
              : Effect.fail(new SessionNotFound({ reason: "missing", sessionId, message: "no file" }))
        }),
        installed({}),
        Layer.mock(Hooks)({ holds: () => Effect.succeed(Option.fromUndefinedOr(holds)) })
      )
    ),
    Effect.map((findings) => ({
      levels: findings.map(({ level }) => level),
      words: findings.map(({ detail }) => detail).join("\n")
    }))
  )

const cases: ReadonlyArray<readonly [what: string, of: Case, levels: ReadonlyArray<string>, says: RegExp]> = [
  ["an agent that holds a session", { holds: "s1" }, ["ok", "ok"], /souffleur watch --pid 10 --session-id s1/u],
  ["the Conductor of a watch", { holds: "s1", watched: true }, ["ok", "ok", "ok"], /Conductor of watch w/u],
  ["an agent of which nobody says what it holds", {}, ["ok", "note"], /which session/u],
  ["no agent", { isAgent: false }, ["note", "note"], /no agent by its command line/u],
  ["a session without a file", { holds: "s1", file: false }, ["ok", "wrong"], /cannot be found: no file/u],
  ["a zombie", { found: { ...alive, condition: "zombie" } }, ["wrong"], /zombie/u],
  ["another user's", { found: { ...alive, uid: 0 } }, ["wrong"], /another user/u],
  ["who started this very command", { ancestors: [10] }, ["wrong"], /started this/u]
]

describe("command-line#doctor", () => {
  it.effect.each(cases)("doctor PID: %s", ([, of, levels, says]) =>
    Effect.map(said(of), (found) => {
      assert.deepStrictEqual(found.levels, levels)
      assert.match(found.words, says)
    })
  )
})
