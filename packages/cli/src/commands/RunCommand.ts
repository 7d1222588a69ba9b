import { dollars, durationOf, plainWords, positiveInteger, type Read, Settings, type Watch } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { layerSouffleur, layerSouffleurReading, unfinished } from "@souffleur/embed/internal"
import { Console, Effect, Option, Result, Stdio } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"
import { agentsInWords, withInstallation } from "../agent/MissingAgent.ts"
import { BadUsage, Ended } from "../Failure.ts"
import { paint } from "../Printing.ts"
import { printPreview } from "../preview/PreviewText.ts"
import { ready } from "../service/Watchdog.ts"
import { detachedLine, tellDetached } from "../watching/DetachedWatch.ts"
import { orTrusted } from "../person/TrustQuestion.ts"
import { guardedBy, printWatch } from "../watching/WatchSession.ts"
import { hasPipedInput, promptInput } from "../world/PromptInput.ts"
import { Environment, WorksUnread } from "../world/CommandEnvironment.ts"
import { detachFlag, dryRunFlag, json, projectDir, quiet, tellingOf, utcFlag, verbose } from "./Options.ts"
import { jobFlags, jobFlagsSaid, jobIn } from "./JobFlags.ts"
import { Project, withSettings } from "./ProjectCommand.ts"

const example = `souffleur run -- ${agentKind.program} "do it"`

/** Says that a command reads nothing of a pipe. */
const noteUnread = Effect.fnUntraced(function* ({ kind }: Watch) {
  if (kind === "command" && (yield* hasPipedInput))
    yield* Console.error("note: the command gets an empty standard input, since it may run again: have it read a file")
})

/** Reads the program of `--until`. */
const untilWords = (text: string) =>
  Effect.mapError(Effect.fromResult(plainWords(text)), (problem) => new BadUsage({ message: `--until ${problem}` }))

/** Reads the limits of a job. `undefined`: it gets none. */
const limitsIn = Effect.fnUntraced(function* (
  flags: Readonly<Record<"maxTime" | "maxDollars" | "maxTokens", Option.Option<string>>>
) {
  const given = <A>(flag: string, text: Option.Option<string>, read: Read<A>) =>
    Option.match(text, {
      onNone: () => Effect.undefined,
      onSome: (text) =>
        Effect.mapError(Effect.fromResult(read(text)), (problem) => new BadUsage({ message: `${flag} ${problem}` }))
    })
  const duration = (text: string) =>
    Result.fromOption(durationOf(text), () => 'must be a time such as 8h, 30m or "90 seconds"')
  const limits = {
    time: yield* given("--max-time", flags.maxTime, duration),
    dollars: yield* given("--max-dollars", flags.maxDollars, dollars),
    tokens: yield* given("--max-tokens", flags.maxTokens, positiveInteger)
  }
  return Object.values(limits).every((one) => one === undefined) ? undefined : limits
})

/** Starts an agent or a command and watches it. It ends as its work does (spec: command-line#watches). */
export const runCommand = Command.make(
  "run",
  {
    words: Argument.String("command").pipe(
      Argument.withDescription("Behind --: the command and its arguments, as they are"),
      Argument.variadic()
    ),
    projectDir,
    guardian: Flag.Boolean("guardian").pipe(
      Flag.withDescription(
        "Keep a second small process that brings souffleur back when it dies or hangs (the default)"
      ),
      Flag.withDefault(true)
    ),
    terminal: Flag.Boolean("terminal").pipe(
      Flag.withDescription(
        "Give a command that is no agent a terminal of its own: a window of tmux or kitty where there is one"
      ),
      Flag.withDefault(false)
    ),
    until: Flag.String("until").pipe(
      Flag.withDescription(
        'A program that says by exit code 0 that the work is done, such as "npm test"; else the agent goes on'
      ),
      Flag.optional
    ),
    rounds: Flag.Int("rounds").pipe(
      Flag.withDescription("Ask you after so many rounds in which --until fails and nothing is done (5 by default)"),
      Flag.filter(
        (rounds) => rounds > 0,
        () => "must be a positive number"
      ),
      Flag.optional
    ),
    maxTime: Flag.String("max-time").pipe(
      Flag.withDescription("End the agent and its watch when they have gone on for so long, such as 8h"),
      Flag.optional
    ),
    maxDollars: Flag.String("max-dollars").pipe(
      Flag.withDescription("The same at so many dollars by the agent's own count, such as 2.50"),
      Flag.optional
    ),
    maxTokens: Flag.String("max-tokens").pipe(Flag.withDescription("The same at so many tokens"), Flag.optional),
    ...jobFlags,
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Start beside an agent of this folder that nobody watches"),
      Flag.withDefault(false)
    ),
    detach: detachFlag,
    dryRun: dryRunFlag,
    verbose,
    quiet,
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(
    function* (flags) {
      const project = yield* Project
      const settings = yield* Settings
      const input = yield* Effect.cached(Effect.provideService(promptInput, Stdio.Stdio, yield* Stdio.Stdio))
      /** Returns the command with its folder. Without a command the unfinished watch of the folder is meant. */
      const ordered = Effect.gen(function* () {
        const [program, ...args] = flags.words
        if (program !== undefined)
          return {
            project,
            command: [program, ...args] as const,
            terminal: flags.terminal,
            force: flags.force,
            input,
            until: yield* Option.match(flags.until, { onNone: () => Effect.undefined, onSome: untilWords }),
            rounds: Option.getOrUndefined(flags.rounds),
            limits: yield* limitsIn(flags),
            ...(yield* jobIn(flags))
          }
        const [flag] = [
          ...(Option.isSome(flags.until) ? ["--until"] : []),
          ...(Option.isSome(flags.rounds) ? ["--rounds"] : []),
          ...(Option.isSome(flags.maxTime) ? ["--max-time"] : []),
          ...(Option.isSome(flags.maxDollars) ? ["--max-dollars"] : []),
          ...(Option.isSome(flags.maxTokens) ? ["--max-tokens"] : []),
          ...jobFlagsSaid(flags)
        ]
        if (flag !== undefined)
          return yield* new BadUsage({ message: `${flag} is said where an agent begins: ${example}` })
        const known = yield* unfinished({ project })
        return Option.isSome(known)
          ? { watch: known.value.id }
          : yield* new BadUsage({ message: `which command? ${example}; ${yield* agentsInWords}` })
      })
      if (flags.dryRun) {
        const { colour } = yield* Environment
        const foreseen = Effect.gen(function* () {
          const souffleur = yield* Souffleur
          return yield* souffleur.preview(yield* ordered)
        })
        const found = yield* Effect.provide(foreseen, layerSouffleurReading(settings))
        return yield* printPreview(found, { asJson: flags.json, brush: paint(colour), whole: flags.verbose })
      }
      const running = Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const order = yield* ordered
        if (flags.detach) {
          const detached = yield* orTrusted(project, souffleur.detach(order, { line: yield* detachedLine(flags) }))
          if (!("watch" in order)) yield* noteUnread((yield* souffleur.find(detached.id)).watch)
          return yield* tellDetached(detached, flags.json)
        }
        yield* yield* WorksUnread
        yield* ready
        const keeping = yield* guardedBy(flags.guardian)
        const watch = yield* "watch" in order
          ? souffleur.resume(order.watch, keeping)
          : orTrusted(project, souffleur.run({ ...order, ...keeping }))
        if (!("watch" in order)) yield* noteUnread(yield* watch.state)
        const code = yield* printWatch(watch, yield* tellingOf(flags))
        const { end, generation } = yield* watch.state
        // It was the second of two simultaneous starts, so the folder is looked at again.
        return Option.isNone(flags.id) && watch.from > 0 && end === "released" && generation === 0 ? undefined : code
      })
      const code = yield* Effect.repeat(Effect.scoped(running), { until: (code) => code !== undefined }).pipe(
        Effect.provide(layerSouffleur(settings))
      )
      if (code !== 0) return yield* new Ended({ code: code ?? 1 })
    },
    Effect.catchTag("AgentNotFound", withInstallation)
  )
).pipe(withSettings, Command.withExamples([{ command: example, description: "An agent for the night" }]))
