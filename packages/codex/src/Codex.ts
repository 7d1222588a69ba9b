import { Agent, type Processes, SessionNotFound, type SessionSigns } from "@souffleur/domain"
import type { AgentOptions, TrustedFiles } from "@souffleur/process"
import { fromTheEnd, inHead, markOf, recordOf, stateOf } from "@souffleur/session"
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import { runsCodex } from "./command/CodexCommand.ts"
import { codexCommand } from "./command/CodexLaunch.ts"
import { makeOutputReader, startedIn } from "./command/CodexOutput.ts"
import { exportRollout } from "./export/RolloutExport.ts"
import { isAnswer, payloadAs, payloadOf, wordsOf } from "./session/RolloutItems.ts"
import { makeReceipt, makeResults, makeSpend } from "./session/RolloutCounts.ts"
import { makeReading } from "./session/RolloutSigns.ts"
import { makeFindRollout } from "./session/Rollouts.ts"
import { writersIn } from "./session/Writers.ts"

type Needs = FileSystem.FileSystem | Path.Path | Processes | TrustedFiles

/** Limits in bytes. A record of the conversation holds at most a result of a tool. */
const limits = { bytes: 8 << 20, line: 4 << 20 }

/** Returns a value that is made once for each key. */
const perKey = <A>(make: (key: string) => A) => {
  const known = new Map<string, A>()
  return (key: string): A => {
    const made = known.get(key) ?? make(key)
    known.set(key, made)
    return made
  }
}

/** Codex as an agent. Each launch is `codex exec`, which ends with its turn. */
export const layer = (options: AgentOptions): Layer.Layer<Agent, never, Needs> =>
  Layer.effect(
    Agent,
    Effect.gen(function* () {
      const services = yield* Effect.context<Needs>()
      const path = yield* Path.Path
      const findRollout = makeFindRollout(options.agentDir)
      const results = makeResults()
      const spend = perKey((since) => makeSpend(Number(since)))
      const receipt = perKey(makeReceipt)
      const projects = new Map<string, string>()
      let seen: { readonly state: string; readonly said: SessionSigns } | undefined

      const sessionFile = (sessionId: string) => findRollout(sessionId).pipe(Effect.provide(services))
      /** Reads the file of a session; `otherwise` where there is none, or it cannot be read. */
      const reading = <A, E>(sessionId: string, otherwise: A, read: (file: string) => Effect.Effect<A, E, Needs>) =>
        sessionFile(sessionId).pipe(
          Effect.flatMap((file) => read(file.path)),
          Effect.orElseSucceed(() => otherwise),
          Effect.provide(services)
        )
      const projectOf = Effect.fnUntraced(function* (sessionId: string) {
        const known = projects.get(sessionId)
        if (known !== undefined) return Option.some(known)
        const file = yield* sessionFile(sessionId)
        const found = yield* inHead(file.path, (record) => {
          const { cwd } = payloadOf(record)
          return record["type"] === "session_meta" && typeof cwd === "string" && path.isAbsolute(cwd) ? cwd : undefined
        }).pipe(Effect.provide(services))
        if (Option.isSome(found)) projects.set(sessionId, found.value)
        return found
      })
      const sessions = writersIn(options.agentDir, (sessionId) =>
        Effect.orElseSucceed(projectOf(sessionId), () => Option.none<string>())
      ).pipe(Effect.provide(services))
      const readEnd = Effect.fnUntraced(function* (file: string) {
        const end = makeReading()
        const writtenAt = yield* fromTheEnd(file, limits, (line, at) => {
          const record = recordOf(line)
          return record === undefined ? "more" : end.take(record, at)
        })
        return { writtenAt, ...end.result() }
      })
      const signs = (sessionId: string) =>
        reading(sessionId, Option.none<SessionSigns>(), (file) =>
          Effect.gen(function* () {
            const info = yield* (yield* FileSystem.FileSystem).stat(file)
            const state = `${file} ${stateOf(info)}`
            const said = seen?.state === state ? seen.said : yield* readEnd(file)
            seen = { state, said }
            return Option.some(said)
          })
        )

      return Agent.of({
        name: "codex",
        compactPrompt: null,
        sessionOf: Effect.fnUntraced(function* ({ output, process }) {
          const held = (yield* sessions).find(({ pid }) => pid === process.pid)
          if (held !== undefined) return Option.some(held.sessionId)
          return output === undefined ? Option.none() : yield* Effect.provide(inHead(output, startedIn), services)
        }),
        sessions,
        sessionFile,
        projectOf,
        mark: Effect.fnUntraced(function* (sessionId) {
          const file = yield* sessionFile(sessionId)
          return yield* markOf(file).pipe(
            Effect.mapError(({ message }) => new SessionNotFound({ sessionId, reason: "missing", message })),
            Effect.provide(services)
          )
        }),
        compactedSince: () => Effect.succeed("not yet"),
        toolResults: (sessionIds) =>
          Effect.map(
            Effect.forEach(new Set(sessionIds), (id) =>
              reading(id, 0, (file) => Effect.map(results(file), ({ progress }) => progress))
            ),
            (counts) => counts.reduce((sum, count) => sum + count, 0)
          ),
        usedTools: (sessionId) => reading(sessionId, false, (file) => Effect.map(results(file), ({ any }) => any)),
        isAgent: runsCodex,
        inPrintMode: () => true,
        turnEnded: (_, sessionId) =>
          Effect.map(signs(sessionId), (said) => Option.exists(said, ({ turn }) => turn?._tag === "Finished")),
        signs,
        lastAnswer: (sessionId) =>
          reading(sessionId, "", (file) => {
            let found = ""
            const read = fromTheEnd(file, limits, (line) => {
              const item = payloadAs(recordOf(line) ?? {}, "response_item")
              if (item !== undefined && isAnswer(item)) found = wordsOf(item).join("\n")
              return found === "" ? "more" : "enough"
            })
            return Effect.map(read, () => found)
          }),
        outputReader: makeOutputReader,
        handoffTaken: (sessionId, launchId) =>
          reading(sessionId, Option.none(), (file) =>
            Effect.map(receipt(launchId)(file), ({ taken }) => Option.fromUndefinedOr(taken))
          ),
        spent: (sessionIds, since) =>
          Effect.map(
            Effect.forEach(sessionIds, (id) =>
              reading(id, 0, (file) => Effect.map(spend(String(since))(file), ({ tokens }) => tokens))
            ),
            (counts) => ({ tokens: counts.reduce((sum, count) => sum + count, 0), dollars: 0 })
          ),
        exportSession: Effect.fnUntraced(function* (sessionId, out, newest) {
          const file = yield* sessionFile(sessionId)
          return yield* exportRollout(file.path, out, newest).pipe(Effect.provide(services))
        }),
        tags: ({ sessionId }) => (sessionId === "" ? [] : [{ environment: { CODEX_SESSION_ID: sessionId } }]),
        sessionTag: (sessionId) => ({ environment: { CODEX_SESSION_ID: sessionId } }),
        command: (order) => Effect.provide(codexCommand(options, order), services)
      })
    })
  )
