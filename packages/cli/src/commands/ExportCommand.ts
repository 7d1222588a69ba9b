import { Agent, exportLimits, knownWindow, parseSessionId } from "@souffleur/domain"
import { piecesOf, TrustedFiles } from "@souffleur/process"
import { headerBytes, readHeader, trim } from "@souffleur/recovery"
import { Console, Effect, Layer, Option, Path, Result, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { layerAgent, layerHost, opening } from "@souffleur/embed/internal"
import { Environment } from "../world/CommandEnvironment.ts"
import { withProgressLine } from "../explain/Progress.ts"
import { BadUsage } from "../Failure.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/** Fails with `BadUsage` where a file exists that is no export, unless a person forces it. */
export const replaceable = Effect.fnUntraced(function* (out: string, force: boolean) {
  const file = yield* Effect.result((yield* TrustedFiles).open(out, {}))
  if (Result.isFailure(file)) return file.failure.missing ? undefined : yield* file.failure
  const [start = new Uint8Array()] = yield* Stream.runCollect(piecesOf(file.success, { bytes: headerBytes }))
  if (force || readHeader(new TextDecoder().decode(start))._tag !== "Foreign") return
  return yield* new BadUsage({
    message: `${out} is there, and is no export: name another with --out, or write over it with --force`
  })
}, Effect.scoped)

/** Writes a session as Markdown, without a watch (spec: command-line#plumbing). */
export const exportCommand = Command.make(
  "export",
  {
    sessionId: Argument.String("session-id").pipe(Argument.withDescription("The session to export")),
    projectDir,
    out: Flag.String("out").pipe(
      Flag.withDescription("The Markdown file to write (default: <session id>.md here)"),
      Flag.optional
    ),
    trim: Flag.Boolean("trim").pipe(
      Flag.withDescription("Cut to the limit: the head and the newest tail"),
      Flag.withDefault(false)
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Write over a file that is no export of souffleur's"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const { settings } = yield* opening(yield* Project)
    const path = yield* Path.Path
    const { cwd } = yield* Environment
    const sessionId = yield* Effect.fromResult(parseSessionId(flags.sessionId))
    const out = path.resolve(cwd, flags.out._tag === "Some" ? flags.out.value : `${sessionId}.md`)
    yield* replaceable(out, flags.force)
    const [exported, newest] = yield* Effect.gen(function* () {
      const agent = yield* Agent
      const signs = Option.getOrUndefined(yield* agent.signs(sessionId))
      const window = knownWindow({ handedFrom: undefined, taken: undefined }, signs?.context)
      const newest = flags.trim ? exportLimits(settings, window).trim_chars : undefined
      return [yield* agent.exportSession(sessionId, out, newest), newest] as const
    }).pipe(Effect.provide(Layer.provide(layerAgent(settings), layerHost)), withProgressLine("exporting"))
    const trimmed = newest === undefined ? undefined : yield* trim(out, newest)
    yield* Effect.forEach(exported.warnings, (warning) => Console.error(`warning: ${warning}`))
    yield* Console.log(flags.json ? JSON.stringify({ ...exported, trimmed: trimmed?.trimmed ?? false }) : exported.path)
  })
).pipe(withProject)
