import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { agentContract } from "@souffleur/testing"
import { Effect, FileSystem } from "effect"
import { execFileSync } from "node:child_process"
import { agentOf } from "../../testing/src/contract/AgentSubject.ts"
import { subjects } from "./Subjects.ts"

for (const [rules, subject] of Object.entries(subjects))
  describe(rules, () => {
    it.layer(HostServices.layer)((it) => {
      for (const { holds, name } of agentContract(subject)) it.effect(name, () => holds)
    })
  })

/** Texts that can be no session id. Each would be read as a flag, a pattern or another path, or is too long. */
const hostile = [
  ..." |..|a..b|../secret|a/b|a\\b|*|a?|[ab]|{a,b}|-p|--resume|.hidden|a b|a\nb|a\0b|é|$(id)".split("|"),
  "a".repeat(129)
]

it.layer(HostServices.layer)((it) => {
  for (const subject of Object.values(subjects).filter(({ keep }) => keep === undefined)) {
    const { finished, kind, sessionId } = subject
    const missing = Effect.fnUntraced(function* ({ agent }: Effect.Success<ReturnType<typeof agentOf>>, id: string) {
      const { message, reason } = yield* Effect.flip(agent.sessionFile(id))
      return { message, reason }
    })

    describe("behaviour#naming-a-conductor", () => {
      it.effect(`a session of ${kind.title} is found by its id or the beginning of one, and no hostile id is`, () =>
        Effect.gen(function* () {
          const made = yield* agentOf(subject, finished)
          for (const id of [sessionId, sessionId.slice(0, 3)])
            assert.deepStrictEqual(yield* made.agent.sessionFile(id), { path: made.session, sessionId }, id)
          for (const id of hostile) assert.strictEqual((yield* missing(made, id)).reason, "malformed", id)
          assert.include((yield* missing(made, "zzz")).message, "no session file of zzz in ")
        }).pipe(Effect.scoped)
      )
    })
    describe("behaviour#files-of-others", () => {
      it.effect(`a session file of ${kind.title} is refused, with its reason, if others may have written it`, () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const made = yield* agentOf(subject, finished)
          const path = made.session
          yield* fs.chmod(path, 0o666)
          const open = yield* missing(made, sessionId)
          yield* fs.rename(path, `${made.folder}/elsewhere`)
          yield* fs.symlink(`${made.folder}/elsewhere`, path)
          const link = yield* missing(made, sessionId)
          yield* fs.remove(path)
          execFileSync("mkfifo", [path])
          const pipe = yield* missing(made, sessionId)
          for (const [said, why] of [
            [open, "others may write to it"],
            [link, "it is a link"],
            [pipe, "it is no regular file"]
          ] as const) {
            assert.strictEqual(said.reason, "missing")
            assert.include(said.message, "a session file is there and is not used: ")
            assert.include(said.message, why)
          }
        }).pipe(Effect.scoped)
      )
    })
  }
})
