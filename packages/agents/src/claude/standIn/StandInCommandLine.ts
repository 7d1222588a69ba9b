import { Result } from "effect"

/** Order to the agent in the command line of a launch (spec: behaviour#launch). */
export interface Order {
  readonly session: { readonly _tag: "Fresh" | "Resume"; readonly id: string } | undefined
  readonly print: boolean
  /** `undefined`: the prompt is on standard input, in print mode. */
  readonly prompt: string | undefined
}

/** Reads `[--resume ID | --session-id ID] [--permission-mode MODE] [-p] [--] [PROMPT]`; fails with a sentence. */
export const parse = (argv: ReadonlyArray<string>): Result.Result<Order, string> => {
  const words: Array<string> = []
  let session: Order["session"]
  let print = false
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!
    const value = () => argv[++at] ?? ""
    if (word === "--") {
      words.push(...argv.slice(at + 1))
      break
    } else if (word === "-p" || word === "--print") print = true
    else if (word === "--resume") session = { _tag: "Resume", id: value() }
    else if (word === "--session-id") session = { _tag: "Fresh", id: value() }
    else if (word === "--permission-mode") {
      if (!["acceptEdits", "bypassPermissions"].includes(value())) return Result.fail("error: unknown permission mode")
    } else if (word.startsWith("-")) return Result.fail(`error: unknown option '${word}'`)
    else words.push(word)
  }
  const [prompt] = words
  if ((prompt === undefined && !print) || words.length > 1) return Result.fail("error: one prompt is needed")
  if (session !== undefined && !/^[A-Za-z0-9-]{1,64}$/.test(session.id))
    return Result.fail("error: the session id is malformed")
  return Result.succeed({ session, print, prompt })
}

/** Returns the arguments by which a fresh session is launched for one turn. */
export const argumentsOf = (sessionId: string, prompt: string): ReadonlyArray<string> => [
  "--session-id",
  sessionId,
  "--permission-mode",
  "acceptEdits",
  "-p",
  "--",
  prompt
]
