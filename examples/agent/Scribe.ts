import { Agent, nothingSpent, parseSessionId, SessionNotFound } from "@souffleur/domain"
import type { AgentOptions } from "@souffleur/process"
import { Array, Duration, Effect, FileSystem, Layer, Option, Path, Schema } from "effect"
import { fileURLToPath } from "node:url"

/** A record of a session: `FOLDER/sessions/SESSION.jsonl` has one in each line. */
const Said = Schema.Struct({
  at: Schema.Number,
  kind: Schema.Literals(["prompt", "part", "end"]),
  text: Schema.String
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Said))

/** The file of the agent's program, which Node runs. */
export const program = fileURLToPath(new URL("ScribeProgram.ts", import.meta.url))

/** For how long its model may be silent. */
export const stall = Duration.seconds(5)

/** The sessions of the scribe, read from their files. An answer of nothing is unknown, and never dead. */
export const layer = ({ agentDir, environment }: AgentOptions) =>
  Layer.effect(
    Agent,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const sessionFile = Effect.fn("Scribe.sessionFile")(function* (asked: string) {
        const none = (reason: "malformed" | "missing") => () =>
          new SessionNotFound({ sessionId: asked, reason, message: `session ${asked} is ${reason}` })
        const sessionId = yield* Effect.mapError(Effect.fromResult(parseSessionId(asked)), none("malformed"))
        const file = path.join(agentDir, "sessions", `${sessionId}.jsonl`)
        yield* Effect.mapError(fs.access(file), none("missing"))
        return { path: file, sessionId }
      })
      const said = (sessionId: string) =>
        sessionFile(sessionId).pipe(
          Effect.flatMap((file) => fs.readFileString(file.path)),
          Effect.map((text) => text.split("\n").flatMap((line) => Option.toArray(decode(line)))),
          Effect.orElseSucceed((): ReadonlyArray<typeof Said.Type> => [])
        )
      const parts = (sessionId: string) =>
        Effect.map(said(sessionId), (all) => all.filter(({ kind }) => kind === "part"))
      const tag = (sessionId: string) => ({ environment: { SCRIBE_SESSION: sessionId } })

      return Agent.of({
        name: "scribe",
        stall,
        compactPrompt: "shorten your story",
        sessions: Effect.succeed([]),
        sessionFile,
        projectOf: (sessionId) => Effect.as(sessionFile(sessionId), Option.none()),
        mark: Effect.fnUntraced(function* (sessionId) {
          const file = yield* sessionFile(sessionId)
          const { dev, ino, size } = yield* Effect.orDie(fs.stat(file.path))
          const inode = String(Option.getOrElse(ino, () => 0n))
          return { path: file.path, device: String(dev), inode, offset: Number(size) }
        }),
        compactedSince: () => Effect.succeed("not yet"),
        mode: () => Effect.succeedNone,
        toolResults: (sessions) => Effect.map(Effect.forEach(sessions, parts), (all) => all.flat().length),
        usedTools: (sessionId) => Effect.map(parts(sessionId), ({ length }) => length > 0),
        isAgent: (words) => words.includes(program),
        inPrintMode: () => true,
        turnEnded: (_, sessionId) => Effect.map(said(sessionId), (all) => all.at(-1)?.kind === "end"),
        signs: (sessionId) =>
          Effect.map(said(sessionId), (all) =>
            Option.map(Array.last(all), ({ at, kind }) => {
              const _tag = kind === "end" ? ("Finished" as const) : ("Asked" as const)
              return { writtenAt: at, turn: { _tag, at }, context: undefined }
            })
          ),
        handoffTaken: (sessionId, launchId) =>
          Effect.map(said(sessionId), (all) => {
            const prompt = all.findIndex(({ kind, text }) => kind === "prompt" && text.includes(`Hand-off ${launchId}`))
            const answer = prompt < 0 ? undefined : all.slice(prompt).find(({ kind }) => kind === "part")
            return Option.map(Option.fromUndefinedOr(answer), ({ at }) => ({ at, context: undefined }))
          }),
        lastAnswer: (sessionId) => Effect.map(parts(sessionId), (all) => all.at(-1)?.text ?? ""),
        outputReader: () => () => Option.none(),
        spent: () => Effect.succeed(nothingSpent),
        exportSession: Effect.fnUntraced(function* (sessionId, out) {
          yield* sessionFile(sessionId)
          const all = yield* said(sessionId)
          const text = all.map((one) => `${one.text}\n`).join("")
          yield* Effect.orDie(fs.writeFileString(out, text, { mode: 0o600 }))
          return { path: out, bytes: new TextEncoder().encode(text).length, records: all.length, warnings: [] }
        }),
        tags: ({ sessionId }) => [tag(sessionId)],
        sessionTag: tag,
        command: ({ prompt, reads, session: { sessionId } }) =>
          Effect.succeed({
            program: process.execPath,
            args: [program, agentDir, sessionId, prompt, ...(reads === undefined ? [] : [reads])],
            environment: { PATH: environment["PATH"] ?? "", ...tag(sessionId).environment }
          })
      })
    })
  )
