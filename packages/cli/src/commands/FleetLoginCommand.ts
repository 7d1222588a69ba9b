import { Settings } from "@souffleur/domain"
import { layerAgentFiles, layerSouffleur } from "@souffleur/embed/internal"
import { FleetDesk, type Login, logins } from "@souffleur/fleet"
import { Console, Effect, Layer } from "effect"
import { Argument, Command } from "effect/cli"
import { askedToken, hubUrl } from "../fleet/JoinedFleet.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { json, projectDir } from "./Options.ts"
import { withLayers } from "./ProjectCommand.ts"

/** Keeps the token of a person, once the hub knows it (spec: fleet#people). */
export const loginCommand = Command.make(
  "login",
  {
    url: Argument.String("url").pipe(Argument.withDescription("The hub: an https URL, or http on this machine")),
    projectDir,
    json
  },
  Effect.fnUntraced(function* (given) {
    yield* personOnly("souffleur fleet login")
    const { stateDir } = yield* Settings
    const url = yield* hubUrl(given.url)
    const login: Login = {
      version: 1,
      url,
      token: yield* askedToken("Your token, as souffleur hub person add printed it")
    }
    yield* FleetDesk.use(({ view }) => view).pipe(Effect.provide(FleetDesk.layerHttp(login)))
    yield* logins.keep(stateDir, login)
    yield* Console.log(
      given.json ? JSON.stringify({ hub: url }) : `You are logged in to the fleet of ${url}: souffleur status --fleet`
    )
  })
).pipe(
  withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))),
  Command.withDescription("Keep your token for the hub of a fleet; it comes on standard input")
)

/** Forgets the token of a person. */
export const logoutCommand = Command.make(
  "logout",
  { projectDir, json },
  Effect.fnUntraced(function* (given) {
    const { stateDir } = yield* Settings
    yield* logins.forget(stateDir)
    yield* Console.log(
      given.json ? JSON.stringify({ loggedOut: true }) : "Your token is forgotten here. The hub still knows it."
    )
  })
).pipe(
  withLayers(() => Layer.empty),
  Command.withDescription("Forget your token for the hub")
)
