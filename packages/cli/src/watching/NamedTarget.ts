import { parsePid, parseSessionId, parseTarget, type Target } from "@souffleur/domain"
import type { LiveSession } from "@souffleur/embed"
import { sessionTitle } from "@souffleur/embed/internal"
import { Effect, Option } from "effect"
import { Prompt } from "effect/cli"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage } from "../Failure.ts"
import { firstLine } from "../world/FirstLine.ts"

/**
 * Reads the Conductor that a person names, by words or by flags. The word `-` stands for a line of standard input, so
 * that no shell has to read that line. `None`: none is named.
 */
export const asked = Effect.fnUntraced(function* (
  words: ReadonlyArray<string>,
  pid: Option.Option<string>,
  session: Option.Option<string>
) {
  if (words.length > 0) {
    return Option.isNone(pid) && Option.isNone(session)
      ? Option.some(yield* Effect.fromResult(parseTarget(words.join(" ") === "-" ? yield* firstLine : words.join(" "))))
      : yield* new BadUsage({
          message: "the Conductor is named twice: give PID:… SESSION_ID:… or --pid and --session-id"
        })
  }
  if (Option.isNone(pid) && Option.isNone(session)) return Option.none<Target>()
  if (Option.isNone(pid) || Option.isNone(session))
    return yield* new BadUsage({ message: "--pid and --session-id are given together" })
  return Option.some<Target>({
    pid: yield* Effect.fromResult(parsePid(pid.value)),
    sessionId: yield* Effect.fromResult(parseSessionId(session.value))
  })
})

/**
 * Lets a person choose one of the live sessions, of this folder where it has any. Fails with `BadUsage` without a
 * terminal or a session.
 */
export const pick = Effect.fnUntraced(function* (sessions: ReadonlyArray<LiveSession>, project: string) {
  const { interactive } = yield* Environment
  if (!interactive || sessions.length === 0) {
    return yield* new BadUsage({
      message: `which Conductor? souffleur watch --pid PID --session-id ID${sessions.length === 0 ? " (no live session was found)" : ""}`
    })
  }
  const here = sessions.filter((session) => session.project === project || session.project === "")
  const choices = (here.length === 0 ? sessions : here).map((session) => ({
    title: sessionTitle(session),
    value: { pid: session.pid, sessionId: session.sessionId }
  }))
  return yield* Effect.catchTag(Prompt.run(Prompt.Select({ message: "Which Conductor?", choices })), "QuitError", () =>
    Effect.fail(new BadUsage({ message: "nothing was chosen" }))
  )
})
