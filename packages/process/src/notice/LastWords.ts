import { Agent, bare, Launcher, plain, type Watch } from "@souffleur/domain"
import { Effect, Option, Stream } from "effect"
import { piecesOf, TrustedFiles } from "../file/TrustedFiles.ts"

/** Bytes at the end of an output in which its last words are looked for. */
const lookedAt = 65_536

/** Lines of the last words, and UTF-16 units of each. */
const [maxLines, maxLine] = [5, 200] as const

/** Matches a line by which a program warns at its start, such as of a session that it is to begin. */
const warning = /^warning: /iu

/**
 * Returns the last lines of a text that are not empty, at most five of 200 UTF-16 units. A terminal obeys none.
 * `warnings`: false leaves out the lines that warn.
 */
export const lastLines = (text: string, warnings = true): ReadonlyArray<string> =>
  bare(text)
    .split("\n")
    .map((line) => line.replaceAll("\t", " ").trim())
    .filter((line) => line !== "" && (warnings || !warning.test(line)))
    .slice(-maxLines)
    .map((line) => plain(line, maxLine))

/** Makes words of a line in an agent's format for programs. `None`: the line is text. */
type Read = (line: string) => Option.Option<string>

const asText: Read = () => Option.none()

/** Reads the end of an output. It is empty where there is none, or the file is not souffleur's own. */
const endOf = Effect.fnUntraced(
  function* (path: string, read: Read) {
    const file = yield* (yield* TrustedFiles).open(path, { own: true })
    const { mtime, size } = yield* file.stat
    const offset = Math.max(0, Number(size) - lookedAt)
    const lines = (yield* Stream.mkString(Stream.decodeText(piecesOf(file, { offset, bytes: lookedAt })))).split("\n")
    // The first line may have begun before.
    const whole = offset === 0 ? lines : lines.slice(1)
    return {
      text: whole.map((line) => Option.getOrElse(read(line), () => line)).join("\n"),
      at: Option.match(mtime, { onNone: () => 0, onSome: (date) => date.getTime() })
    }
  },
  Effect.scoped,
  Effect.orElseSucceed(() => ({ text: "", at: 0 }))
)

/**
 * Returns the last lines that a launch printed, as a person reads them, the newer output last. The list is empty where
 * there are none. `read` understands a line of standard output in an agent's format for programs. See `lastLines` for
 * `warnings`.
 */
export const lastPrinted = Effect.fn("lastPrinted")(function* (launchId: string, read = asText, warnings = true) {
  const { outputPath } = yield* Launcher
  const answer = yield* endOf(outputPath(launchId), read)
  const errors = yield* endOf(outputPath(launchId, "stderr"), asText)
  const inOrder = errors.at < answer.at ? [errors, answer] : [answer, errors]
  return lastLines(inOrder.map(({ text }) => text).join("\n"), warnings)
})

/** A Conductor of a watch, by the launch that made it. */
type Speaker = Pick<Watch, "kind" | "launchId" | "sessionId">

/**
 * Returns the last words of a watch's Conductor, from its output or else from its session. They are only for showing,
 * and none goes into the log. `now`: the watch as it is, if the Conductor is an earlier one. A session that was resumed
 * since has the words of a later Conductor.
 */
export const lastWords = Effect.fn("lastWords")(function* (
  { kind, launchId, sessionId }: Speaker,
  now: Speaker = { kind, launchId, sessionId }
) {
  const agent = yield* Agent
  const printed = launchId === undefined ? [] : yield* lastPrinted(launchId, agent.outputReader(), kind === "command")
  const isOverwritten = now.launchId !== launchId && now.sessionId === sessionId
  if (printed.length > 0 || kind === "command" || isOverwritten) return printed
  return lastLines(yield* agent.lastAnswer(sessionId))
})
