import { Launcher, nameOf, Settings, type Watch } from "@souffleur/domain"
import { Console, Effect, FileSystem, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import {
  findPlan,
  findWatch,
  layerAgentFiles,
  layerAsLaunched,
  layerHost,
  layerLaunches,
  layerStore
} from "@souffleur/embed/internal"
import type { WatchName } from "@souffleur/embed"
import { BadUsage } from "../Failure.ts"
import { follow } from "../watching/FollowOutput.ts"
import { followAgents } from "./FollowRun.ts"
import { findJob } from "./NamedJob.ts"
import { goTo, goToOwn, wayToTmux } from "../watching/TerminalPane.ts"
import { namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Names the Conductor for a person, with its generation and its process. */
const titleOf = (watch: Watch) =>
  `${nameOf(watch)} (S${Math.max(1, watch.generation)}), pid ${watch.conductor?.pid ?? watch.pid}`

/** Goes to the window of a watch's Conductor. `None`: it has none. */
const placeOf = ({ conductor, phase }: Watch) =>
  phase === "Exited" || conductor === undefined ? Effect.succeedNone : goTo(conductor)

/** Shows the window of a watch's Conductor, or this command's own. Fails with `BadUsage` if no terminal answers. */
const showWindow = Effect.fn("showWindow")(function* (name: WatchName) {
  // A notice that only tests a channel has no watch.
  const found = yield* Effect.option(findWatch(name))
  const its = Option.isNone(found) ? Option.none() : yield* placeOf(found.value.watch)
  const shown = Option.isSome(its) ? its : yield* goToOwn()
  if (Option.isNone(shown))
    return yield* new BadUsage({ message: "no terminal that can be asked from here has its window" })
  if (shown.value !== "there") yield* Console.log(shown.value)
})

/**
 * Goes to the window of a watch's Conductor, or follows its output or that of a run's agents. Fails with `BadUsage`
 * where neither can be done.
 */
export const attach = Effect.fn("attach")(function* (name: WatchName) {
  const fs = yield* FileSystem.FileSystem
  const launcher = yield* Launcher
  const found = yield* findJob({ find: findWatch, findPlan }, name)
  if ("run" in found) return yield* followAgents(found)
  const { id, watch } = found
  const over = watch.phase === "Exited"
  const place = yield* placeOf(watch)
  if (Option.isSome(place))
    return place.value === "there" ? undefined : yield* Console.log(`${titleOf(watch)}: ${place.value}`)

  const { conductor, launchId } = watch
  const elsewhere = Effect.fnUntraced(function* (why: string) {
    const way = conductor === undefined ? Option.none() : yield* wayToTmux(conductor)
    const next = Option.getOrElse(
      way,
      () => "look for its window on your desktop, or type souffleur attach within its tmux or kitty"
    )
    return yield* new BadUsage({ message: `${titleOf(watch)}, ${why}: ${next}` })
  })
  if (launchId === undefined)
    return yield* over
      ? new BadUsage({ message: `watch ${id} has ended (${watch.end}), and souffleur launched nothing in it` })
      : elsewhere(
          "was not started by souffleur: its output is not ours to show. It is in no tmux or kitty that can be asked from here"
        )
  if (!(yield* fs.exists(launcher.outputPath(launchId))))
    return yield* elsewhere("was launched into a terminal that cannot be asked from here")
  yield* follow(id, (now) => Console.error(`${titleOf(now)}: its output, until the watch ends`)).pipe(
    Effect.provide(layerAsLaunched(yield* Settings, { id, watch }))
  )
})

/** Goes to the Conductor's window, or follows its output where it has none (spec: command-line#watches). */
export const attachCommand = Command.make(
  "attach",
  {
    watch: watchName,
    window: Flag.Boolean("window").pipe(
      Flag.withDescription("Show the agent's window and end; without one, show the window of this command"),
      Flag.withDefault(false)
    ),
    projectDir
  },
  Effect.fnUntraced(function* (flags) {
    yield* (flags.window ? showWindow : attach)(namedIn(yield* Project, flags.watch))
  })
).pipe(
  withLayers((settings) =>
    Layer.mergeAll(
      layerStore(settings),
      layerLaunches(settings),
      Layer.provideMerge(layerAgentFiles(settings), layerHost)
    )
  )
)
