import { Agent, parseSessionId } from "@souffleur/domain"
import { trim } from "@souffleur/recovery"
import { Console, Effect, Path } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { agent, host } from "../App.ts"
import { Environment } from "../Environment.ts"
import { opening } from "../ConfigTrust.ts"
import { json, projectDir, realProject } from "./Options.ts"

export const exportCommand = Command.make(
  "export",
  {
    sessionId: Argument.String("session-id").pipe(Argument.withDescription("The session to export")),
    projectDir,
    out: Flag.String("out").pipe(Flag.withDescription("The Markdown file to write (default: <session id>.md here)"), Flag.optional),
    trim: Flag.Boolean("trim").pipe(Flag.withDescription("Cut to the limit: the head and the newest tail"), Flag.withDefault(false)),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const { settings } = yield* opening(yield* realProject(flags.projectDir))
    const [path, { cwd }] = [yield* Path.Path, yield* Environment]
    const sessionId = yield* Effect.fromResult(parseSessionId(flags.sessionId))
    const out = path.resolve(cwd, flags.out._tag === "Some" ? flags.out.value : `${sessionId}.md`)
    const exported = yield* Effect.flatMap(Agent, (agent) => agent.exportSession(sessionId, out)).pipe(
      Effect.provide(agent(settings)),
      Effect.provide(host)
    )
    const trimmed = flags.trim ? yield* trim(out, settings.trimChars) : undefined
    yield* Effect.forEach(exported.warnings, (warning) => Console.error(`warning: ${warning}`))
    yield* Console.log(flags.json ? JSON.stringify({ ...exported, trimmed: trimmed?.trimmed ?? false }) : exported.path)
  })
).pipe(Command.withDescription("A session's conversation as Markdown"))
