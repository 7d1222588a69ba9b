import { personsZone, Settings, usualPagePort } from "@souffleur/domain"
import { layerAgentFiles, layerSouffleur } from "@souffleur/embed/internal"
import * as LoopbackServer from "@souffleur/node/loopback"
import { servePage } from "@souffleur/page"
import { pageServedNow, pageToken } from "@souffleur/process"
import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { openInBrowser } from "../watching/Browser.ts"
import { WorksUnread } from "../world/CommandEnvironment.ts"
import { signOfAgent } from "../person/PersonOnly.ts"
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
    const show = Effect.fnUntraced(function* (url: string) {
      const elsewhere = pageUrl === null ? null : `${pageUrl}/${new URL(url).search}`
      yield* Console.log(flags.json ? JSON.stringify({ url, elsewhere }) : url)
      if (elsewhere !== null) yield* Console.error(`From elsewhere: ${elsewhere}`)
      if (flags.open) yield* openInBrowser(url, stateDir)
    })
    const served = Effect.gen(function* () {
      const url = yield* servePage({ stateDir, acts, zone, pageUrl })
      if (!acts) yield* Console.error("This is an agent's session, so the page takes no word.")
      yield* Console.error("The link is for you alone. Ctrl-C ends the page, and no watch.")
      yield* show(url)
      return yield* Effect.never
    }).pipe(Effect.scoped, Effect.provide(LoopbackServer.layer({ port: flags.port, idle: 64 })))
    const taken = Effect.gen(function* () {
      const origin = yield* pageServedNow(stateDir, flags.port)
      const token = yield* pageToken(stateDir)
      // The page that runs may take a person's word, and an agent gets no link to it.
      if (!acts || token === undefined || origin === null)
        return yield* new BadUsage({
          message: `port ${flags.port} is taken: end what has it, or name another with --port`
        })
      yield* Console.error("The page runs already.")
      yield* show(`${origin}/?token=${token}`)
    })
    yield* Effect.catchTag(served, "ServeError", () => taken)
  })
).pipe(withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
