import { type Held, type HookedProcess, Hooks, HookSign, heldByAll, heldNow, holdings } from "@souffleur/domain"
import { TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Layer, Option, Path, Schema } from "effect"
import { olderSigns } from "./SignFile.ts"

/** Bytes that are read from the end of a file: more than a file of signs grows to. */
const tailBytes = 262_144

/** Characters of a line at most: a sign is an id, a pid and a few words. */
const maxLineLength = 4096

/**
 * Newest lines of a file that are read. A file of this size holds no more signs, and other lines take the longest to
 * refuse.
 */
const maxLines = 4096

/** Newest sessions whose files are read: no more are kept. */
const maxSessions = 500

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(HookSign))

/**
 * Reads the signs that `souffleur hook` wrote: `<state dir>/hooks/<session id>.jsonl`, and the older file beside it.
 * Lines that are no sign, and files that cannot be read, are skipped.
 */
export const layer = (stateDir: string): Layer.Layer<Hooks, never, FileSystem.FileSystem | Path.Path | TrustedFiles> =>
  Layer.effect(
    Hooks,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const trusted = yield* TrustedFiles
      const folder = path.join(stateDir, "hooks")
      const none: ReadonlyArray<HookSign> = []

      const text = Effect.fnUntraced(function* (file: string) {
        const source = yield* trusted.open(file, {})
        const size = Number((yield* source.stat).size)
        const bytes = new Uint8Array(Math.min(size, tailBytes))
        let filled = 0
        while (filled < bytes.length) {
          const read = Number(
            yield* source.read(bytes.subarray(filled), { position: BigInt(size - bytes.length + filled) })
          )
          if (read === 0) break
          filled += read
        }
        return new TextDecoder().decode(bytes.subarray(0, filled))
      }, Effect.scoped)

      const linesIn = (file: string) =>
        text(file).pipe(
          Effect.map((text) =>
            text
              .split("\n")
              .filter((line) => line.startsWith("{") && line.length <= maxLineLength)
              .slice(-maxLines)
          ),
          Effect.orElseSucceed((): ReadonlyArray<string> => [])
        )

      /** Returns the signs of a session. An id that cannot be the name of a file has none. */
      const signsOf = Effect.fnUntraced(function* (sessionId: string) {
        if (!/^[\w-][\w.-]*$/u.test(sessionId)) return none
        const file = path.join(folder, `${sessionId}.jsonl`)
        // The newer first: where it becomes the older one meanwhile, its lines are read twice, and none is missed.
        const newer = yield* linesIn(file)
        const signs = [...(yield* linesIn(olderSigns(file))), ...newer].flatMap((line) => Option.toArray(decode(line)))
        return signs.filter((sign) => sign.sessionId === sessionId)
      })

      /** Lists the sessions that have files with the time of their newest write, the newest first. */
      const sessions = Effect.fnUntraced(
        function* () {
          const dated = yield* Effect.forEach(yield* fs.readDirectory(folder), (name) => {
            const sessionId = /^(.+)\.jsonl(?:\.1)?$/u.exec(name)?.[1]
            return sessionId === undefined
              ? Effect.succeed([])
              : fs.stat(path.join(folder, name)).pipe(
                  Effect.map(({ mtime }) => [
                    { sessionId, at: Option.match(mtime, { onNone: () => 0, onSome: (date) => date.getTime() }) }
                  ]),
                  Effect.orElseSucceed(() => [])
                )
          })
          const oldestFirst = dated.flat().toSorted((a, b) => a.at - b.at)
          const newest = [...new Map(oldestFirst.map((one) => [one.sessionId, one])).values()]
          return newest.toSorted((a, b) => b.at - a.at).slice(0, maxSessions)
        },
        Effect.orElseSucceed((): ReadonlyArray<{ readonly sessionId: string; readonly at: number }> => [])
      )

      const everything = Effect.fnUntraced(function* () {
        const found = yield* Effect.forEach(yield* sessions(), ({ sessionId }) =>
          Effect.map(signsOf(sessionId), holdings)
        )
        return found.flat().toSorted((a, b) => a.since - b.since)
      })

      return Hooks.of({
        last: Effect.fn("Hooks.last")(function* (sessionId) {
          const signs = yield* signsOf(sessionId)
          return Option.fromUndefinedOr(signs.toSorted((a, b) => a.at - b.at).at(-1))
        }),
        lineage: Effect.fn("Hooks.lineage")(function* (sessionId) {
          const held = yield* everything()
          const key = ({ pid, startTime }: HookedProcess) => `${pid} ${startTime}`
          const processes = new Set(held.filter((one) => one.sessionId === sessionId).map(key))
          return held.filter((one) => processes.has(key(one)))
        }),
        held: Effect.withSpan(Effect.map(everything(), heldByAll), "Hooks.held"),
        holds: Effect.fn("Hooks.holds")(function* (process) {
          // A file holds no sign newer than its last write, so most files need not be opened.
          const found: Array<Held> = []
          for (const { at, sessionId } of yield* sessions()) {
            if (found.some((one) => one.until > at)) break
            found.push(
              ...holdings(yield* signsOf(sessionId)).filter(
                (one) => one.pid === process.pid && one.startTime === process.startTime
              )
            )
          }
          return heldNow(found, process)
        })
      })
    })
  )
