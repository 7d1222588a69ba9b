import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { agentContract, type AgentSubject } from "@souffleur/testing"
import { Effect, FileSystem } from "effect"
import { execFileSync } from "node:child_process"
import { agentOf } from "../../testing/src/contract/AgentSubject.ts"
import { carrying, recorded, sessionOf, subjects } from "./Subjects.ts"

const contract = (subject: AgentSubject) =>
  it.layer(HostServices.layer)((it) => {
    for (const { holds, name } of agentContract(subject)) it.effect(name, () => holds)
  })
describe("claude-code#files, claude-code#sessions", () => contract(subjects.claudeCode))
describe("codex#files, codex#turns", () => contract(subjects.codex))
describe("copilot#files, copilot#records", () => contract(subjects.copilot))
describe("gemini#files, gemini#output", () => contract(subjects.gemini))
describe("opencode#records, opencode#trouble", () => contract(subjects.openCode))
describe("pi#files, pi#records", () => contract(subjects.pi))
describe("qwen#files, qwen#records", () => contract(subjects.qwen))

/** Texts that can be no session id. Each would be read as a flag, a pattern or another path, or is too long. */
const hostile = [
  ..." |..|a..b|../secret|a/b|a\\b|*|a?|[ab]|{a,b}|-p|--resume|.hidden|a b|a\nb|a\0b|é|$(id)".split("|"),
  "a".repeat(129)
]

it.layer(HostServices.layer)((it) => {
  for (const subject of Object.values<AgentSubject>(subjects).filter(({ keep }) => keep === undefined)) {
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

/** What a session had when it was finished, what it gained by a compaction, and whether a failed one has a record. */
const compactions = [
  [carrying.copilot, "compacted", ['"success":true', '"success":false']],
  [carrying.qwen, "compressed", undefined]
] as const

/** A session in which a file was written, the line of its export, and a change by which that tool failed or only read. */
const writings = [
  [carrying.copilot, "song.txt`: 1 edit", ['"success":true', '"success":false']],
  [carrying.copilot, "song.txt`: 1 edit", ['"fileEdits":[', '"others":[']],
  [carrying.pi, "- `a.txt`: 1 edit", ['"isError":false', '"isError":true']],
  [carrying.qwen, "song.txt`: 1 edit", ['"status":"success"', '"status":"error"']]
] as const

it.layer(HostServices.layer)((it) => {
  describe("behaviour#who-holds-a-session, copilot#processes, gemini#processes, qwen#processes", () => {
    for (const one of Object.values(carrying))
      it.effect(`the launcher of ${one.kind.title} has the session, and the agent behind it is none beside it`, () =>
        Effect.gen(function* () {
          const { sessionId } = one
          const agent = yield* sessionOf(
            one,
            recorded(one.kind.program, "killed").replaceAll("90000002", "90000001"),
            true
          )
          assert.deepStrictEqual(
            (yield* agent.sessions).map(({ pid, project, sessionId }) => ({ pid, project, sessionId })),
            [{ pid: 70, project: "/srv/opera", sessionId }]
          )
        }).pipe(Effect.scoped)
      )
  })
  describe("behaviour#standard_compact", () => {
    for (const [one, name, failing] of compactions)
      it.effect(`a compaction of ${one.kind.title} after a mark is proved by its record, and ends no turn`, () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const { program } = one.kind
          const compacted = Effect.fnUntraced(function* (text: string) {
            const agent = yield* sessionOf(one, recorded(program, "finished"))
            const mark = yield* agent.mark(one.sessionId)
            assert.strictEqual(yield* agent.compactedSince(mark), "not yet")
            yield* fs.writeFileString(mark.path, text.slice(mark.offset), { flag: "a" })
            assert.isTrue(yield* agent.turnEnded({ pid: 7 }, one.sessionId))
            assert.strictEqual(yield* agent.compactedSince({ ...mark, inode: "0" }), "not yet")
            return yield* agent.compactedSince(mark)
          })
          const whole = recorded(program, name)
          assert.strictEqual(yield* compacted(whole), "summary")
          if (failing !== undefined)
            assert.strictEqual(yield* compacted(whole.replaceAll(failing[0], failing[1])), "not yet")
        }).pipe(Effect.scoped)
      )
  })
  describe("behaviour#retries", () => {
    for (const [one, line, change] of writings)
      it.effect(`a written file of ${one.kind.title} is progress and modified, unless ${change[1]}`, () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const [id, written] = [one.sessionId, recorded(one.kind.program, "written")]
          const agent = yield* sessionOf(one, written)
          assert.strictEqual(yield* agent.toolResults([id, id]), 1)
          const out = `${yield* fs.makeTempDirectoryScoped()}/out.md`
          yield* agent.exportSession(id, out)
          assert.include(yield* fs.readFileString(out), line)
          const failed = yield* sessionOf(one, written.replaceAll(change[0], change[1]))
          assert.deepStrictEqual([yield* failed.toolResults([id]), yield* failed.usedTools(id)], [0, true])
        }).pipe(Effect.scoped)
      )
  })
})
