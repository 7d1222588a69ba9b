import {
  Agent,
  type AgentCommand,
  type EffectivePermission,
  freshUuid,
  granted,
  isSessionKnown,
  type Settings,
  type Terminal,
  type Watch
} from "@souffleur/domain"
import { type ForeseenLaunch, commandLineOf, type Provider, signed, waysOf } from "@souffleur/recovery"
import { Effect, Option } from "effect"

/** A command line that would be launched. */
export interface ForeseenLine {
  readonly program: string
  /** No shell reads them. Each id that a launch makes for itself has a name in capitals. */
  readonly args: ReadonlyArray<string>
  /** The text on standard input; `null`: it is empty. */
  readonly input: string | null
}

/** One way of a recovery, with its launches in order. `null`: only the recovery itself can say. */
export interface ForeseenWay {
  readonly provider: string
  readonly lines: ReadonlyArray<ForeseenLine> | null
}

/** The names of ids, and of a file, that no preview can know. */
export const unknownId = {
  first: "SESSION_ID",
  next: "NEXT_SESSION_ID",
  launch: "LAUNCH_ID",
  file: "SESSION_FILE"
} as const

/**
 * Shows a command line, with a name in place of each id that would be made then. An agent that chooses its ids has an
 * empty one until it has begun.
 */
export const shown = (
  { args, input, program }: Pick<AgentCommand, "args" | "input" | "program">,
  names: ReadonlyMap<string, string>
): ForeseenLine => {
  const named = (text: string) =>
    [...names].reduce((all, [id, name]) => (isSessionKnown(id) ? all.replaceAll(id, name) : all), text)
  return { program, args: args.map(named), input: input === undefined ? null : named(input) }
}

/** The parts of a successor's command line that its provider does not choose. */
export interface LineOptions {
  readonly settings: Settings["Service"]
  readonly permission: EffectivePermission
  readonly terminal: Terminal
  /** The path of the export that would be made, absolute. */
  readonly exported: string
  /** The command of the first launch. `None`: souffleur did not start it, or its file is lost. */
  readonly first: Option.Option<Pick<AgentCommand, "args" | "program">>
  readonly names: ReadonlyMap<string, string>
}

/**
 * Returns the ways of a recovery that has begun, with their command lines. They are made by the functions that launch.
 * Where there is no such agent, there are no lines.
 */
export const foreseenWays = Effect.fn("foreseenWays")(function* <R>(
  providers: ReadonlyArray<Provider<R>>,
  watch: Watch,
  { exported, first, names, permission, settings, terminal }: LineOptions
) {
  const { compactPrompt, mode } = yield* Agent
  const given = granted(permission, permission, Option.getOrUndefined(yield* mode(watch.sessionId)))
  const fresh = yield* freshUuid
  const all = new Map([...names, [fresh, unknownId.next]])
  const line = Effect.fnUntraced(function* (launch: ForeseenLaunch) {
    if (launch._tag === "Again")
      return Option.match(first, { onNone: () => [], onSome: (command) => [shown(command, all)] })
    const session =
      launch.session === "same"
        ? ({ _tag: "Resume", sessionId: watch.sessionId } as const)
        : ({ _tag: "Fresh", sessionId: fresh } as const)
    const prompt = (launchId: string) =>
      launch.prompt === compactPrompt ? launch.prompt : signed(launch.prompt, launchId)
    const errand = {
      session,
      prompt,
      folder: watch.project,
      // A session that has not begun has its file by the time of a recovery.
      ...(names.has(watch.sessionId) ? { file: unknownId.file } : {}),
      ...(launch.reads === undefined ? {} : { reads: launch.reads })
    }
    return [shown(yield* commandLineOf(errand, { launchId: unknownId.launch, ...given, terminal }), all)]
  })
  return yield* Effect.forEach(waysOf(providers, watch, settings), ({ foresee, name }) =>
    foresee === undefined
      ? Effect.succeed<ForeseenWay>({ provider: name, lines: null })
      : Effect.map(
          Effect.option(Effect.forEach(foresee(watch, { exported, compactPrompt }), line)),
          (lines): ForeseenWay => ({ provider: name, lines: Option.getOrNull(lines)?.flat() ?? null })
        )
  )
})
