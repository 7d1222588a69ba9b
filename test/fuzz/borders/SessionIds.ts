import { parsePid, parseSessionId, parseTarget } from "@souffleur/domain"
import { Result } from "effect"
import { border, holds } from "../Border.ts"
import { mangled, run, uuid, word } from "../Hostile.ts"

/** Returns whether an id may become part of a file's name and of a command line. */
const harmless = (id: string) => !/^[-.]|\.\.|[^A-Za-z0-9._-]/u.test(id) && id.length > 0 && id.length <= 128

export const sessionIds = border("session-ids", {
  share: 6,
  draw: (seed) => {
    const id = seed.pick([() => word(seed), () => mangled(seed, uuid(seed)), () => run(seed)])()
    const pid = seed.pick([() => word(seed), () => String(seed.between(0, 5_000_000))])()
    return {
      id,
      pid,
      words: seed.pick([`PID:${pid} SESSION_ID:${id}`, mangled(seed, `SESSION_ID:${id}\nPID:${pid}`), word(seed)])
    }
  },
  checks: {
    "an id": ({ id }) => {
      const parsed = parseSessionId(id)
      holds(Result.isFailure(parsed) || harmless(parsed.success), "parseSessionId lets it pass", id)
    },
    "a pid": ({ pid }) => {
      const parsed = parsePid(pid)
      holds(
        Result.isFailure(parsed) || (Number.isInteger(parsed.success) && parsed.success > 1),
        "parsePid lets it pass",
        pid
      )
    },
    "a target": ({ words }) => {
      const parsed = parseTarget(words)
      holds(
        Result.isFailure(parsed) || (harmless(parsed.success.sessionId) && parsed.success.pid > 1),
        "parseTarget lets it pass",
        words
      )
    }
  }
})
