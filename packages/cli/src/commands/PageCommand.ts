import { personsZone, Settings, usualPagePort } from "@souffleur/domain"
import { layerAgentFiles, layerSouffleur } from "@souffleur/embed/internal"
import * as LoopbackServer from "@souffleur/node/loopback"
import { servePage } from "@souffleur/page"
import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { openInBrowser } from "../watching/Browser.ts"
import { WorksUnread } from "../world/CommandEnvironment.ts"
import { signOfAgent } from "../watching/PersonOnly.ts"
import { BadUsage } from "../Failure.ts"
import { json, projectDir } from "./Options.ts"
import { withLayers } from "./ProjectCommand.ts"

/** Serves the page on loopback until it is interrupted (spec: command-line#page). */
export const pageCommand = Command.make(
  "page",
  {
    port: Flag.Int("port").pipe(
      Flag.withDescription("The port on 127.0.0.1, or 0 for a free one"),
      Flag.withDefault(usualPagePort)
    ),
    open: Flag.Boolean("open").pipe(Flag.withDescription("Open it in the browser too"), Flag.withDefault(false)),
    projectDir,
    json
  },
  Effect.fnUntraced(function* (flags) {
    if (flags.port < 0 || flags.port > 65_535)
      return yield* new BadUsage({ message: `--port ${flags.port} is no port: name one up to 65535, or 0 for any` })
    const { pageUrl, stateDir } = yield* Settings
    const zone = yield* personsZone
    const acts = (yield* signOfAgent) === undefined
    yield* yield* WorksUnread
    yield* Effect.gen(function* () {
      const url = yield* servePage({ stateDir, acts, zone, pageUrl })
      yield* Console.log(flags.json ? JSON.stringify({ url }) : url)
      if (!acts) yield* Console.error("This is an agent's session, so the page takes no word.")
      yield* Console.error("The link is for you alone. Ctrl-C ends the page, and no watch.")
      if (flags.open) yield* openInBrowser(url, stateDir)
      return yield* Effect.never
    }).pipe(
      Effect.scoped,
      Effect.provide(LoopbackServer.layer({ port: flags.port })),
      Effect.catchTag("ServeError", () =>
        Effect.fail(
          new BadUsage({ message: `port ${flags.port} is taken: end what has it, or name another with --port` })
        )
      )
    )
  })
).pipe(withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
