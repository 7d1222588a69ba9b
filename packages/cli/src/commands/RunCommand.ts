import { load, Settings } from "@souffleur/domain"
import { refuseOwned, release } from "@souffleur/supervisor"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"
import type { LaunchOverrides, NamedWatch } from "@souffleur/embed"
import {
  goingOn,
  launchOverridesOf,
  layerHost,
  layerStore,
  layerStoreReading,
  layerWorld,
  oldestIn,
  openCommand,
  opening,
  previewRun,
  unfinished,
  unfinishedWatches,
  unlessEnded
} from "@souffleur/embed/internal"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage, Ended } from "../Failure.ts"
import { ready } from "../service/Watchdog.ts"
import { layerNoticeChannels } from "../world/NoticeWiring.ts"
import { watching } from "../watching/WatchSession.ts"
import { paint } from "../Printing.ts"
import { printPreview } from "../preview/PreviewText.ts"
import { detachWatch, withoutMarks } from "../watching/Detach.ts"
import { detachFlag, dryRunFlag, json, projectDir, quiet, tellingOf, utcFlag, verbose } from "./Options.ts"
import { Project, withSettings } from "./ProjectCommand.ts"
import { watch } from "./WatchCommand.ts"

const example = `souffleur run -- ${agentKind.program} "do it"`

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
    detach: detachFlag,
    dryRun: dryRunFlag,
    verbose,
    quiet,
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* (flags) {
    const project = yield* Project
    const settings = yield* Settings
    const { colour, variables } = yield* Environment
    const telling = yield* tellingOf(flags)
    const goOn = Effect.fnUntraced(function* (known: NamedWatch) {
      const { id, watch: state } = known
      // It does not go on here while another souffleur has it.
      const announced = Effect.andThen(
        refuseOwned(id, state),
        Console.error(
          `watch ${id} of this folder is not finished: it goes on, and nothing else is started ("souffleur release ${id}" ends it)`
        )
      )
      const guarding = { guardian: flags.guardian, restored: Option.none() }
      const settings = yield* goingOn(project, state.pin)
      const resumed = watch({
        project,
        comms: state.comms,
        known: Option.some(known),
        target: Option.none(),
        said: { observe: false, forced: false, detaching: flags.detach },
        guarding,
        telling
      })
      return yield* Effect.provide(Effect.andThen(announced, resumed), [
        layerWorld(settings, project, state.comms, yield* launchOverridesOf(settings, Option.some(known))),
        layerNoticeChannels(settings)
      ])
    })
    const which = new BadUsage({ message: `which command? ${example}` })
    if (flags.dryRun) {
      const previewed = Effect.gen(function* () {
        const known = yield* unfinished({ project })
        return Option.isNone(known) && flags.words.length === 0
          ? yield* which
          : yield* previewRun(flags.words, { project, pty: flags.terminal })
      })
      const found = yield* Effect.provide(previewed, [layerStoreReading(settings), layerHost])
      return yield* printPreview(found, { asJson: flags.json, brush: paint(colour) })
    }
    const begin = Effect.gen(function* () {
      if (flags.words.length === 0) return yield* which
      const { pin, settings } = yield* opening(project)
      const literal = yield* Effect.fromResult(
        agentKind.takeApart(flags.words, yield* Effect.fromResult(agentKind.parseCommand(settings.agentCommand)))
      )
      const overrides: LaunchOverrides = Option.match(literal, {
        onNone: () => ({}),
        onSome: ({ agentCommand }) => ({ agent: agentCommand })
      })
      const running = Effect.gen(function* () {
        const id = yield* openCommand(flags.words, literal, {
          pin,
          project,
          agent: agentKind,
          pty: flags.terminal,
          // A detached command outlives the agent whose tool this may be.
          variables: flags.detach ? withoutMarks(variables) : variables
        })
        const before = oldestIn(yield* unfinishedWatches, project)
        if (before !== undefined && before.id !== id) {
          yield* release(id)
          return before
        }
        if (flags.detach) return yield* detachWatch(id, flags.guardian, flags.json)
        yield* ready
        return yield* watching(id, {
          project,
          comms: null,
          from: 0,
          guardian: flags.guardian,
          telling
        })
      })
      return yield* Effect.provide(running, [
        layerWorld(settings, project, null, overrides),
        layerNoticeChannels(settings)
      ])
    })
    /** `undefined`: the watch was the second of two and has ended, so the folder is looked at again. */
    const attempt = Effect.gen(function* () {
      const known = yield* Effect.provide(unfinished({ project }), layerStore(settings))
      const begun = Option.isSome(known) ? known.value : yield* begin
      if (typeof begun === "number") return begun
      const code = Option.getOrUndefined(yield* unlessEnded(goOn(begun)))
      const { end, generation } = yield* Effect.provide(load(begun.id), layerStore(settings))
      return end === "released" && generation === 0 ? undefined : code
    })
    const code = yield* Effect.repeat(attempt, { until: (code) => code !== undefined })
    if (code !== 0) return yield* new Ended({ code })
  })
).pipe(withSettings, Command.withExamples([{ command: example, description: "An agent for the night" }]))
