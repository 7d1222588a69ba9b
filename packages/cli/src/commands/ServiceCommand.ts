import { Claims } from "@souffleur/domain"
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { findWatch, layerClaims, layerHost, layerStore, settingsOf, terminalOf } from "@souffleur/embed/internal"
import { BadUsage } from "../Failure.ts"
import { inspect, install, uninstall } from "../service/ServiceManager.ts"
import { json, namedIn, projectDir, realProject, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

const flags = { watch: watchName, projectDir, json }

const atLogin = (lingers: boolean | null) =>
  lingers === true ? "" : ' It starts when you log in; to start it with the machine: "loginctl enable-linger".'

const installCommand = Command.make(
  "install",
  flags,
  Effect.fnUntraced(function* (given) {
    const { id, watch } = yield* findWatch(namedIn(yield* Project, given.watch))
    if (watch.phase === "Exited") return yield* new BadUsage({ message: `watch ${id} has ended: ${watch.end}` })
    // A service has no terminal for windows.
    yield* terminalOf(yield* settingsOf(yield* realProject(watch.project)), {})
    const { owner } = watch
    const watched =
      owner !== undefined &&
      !(yield* Effect.flatMap(Claims, ({ isDead }) => isDead(owner)).pipe(
        Effect.provide(Layer.provide(layerClaims, layerHost))
      ))
    const done = yield* install(id, !watched)
    if (given.json) return yield* Console.log(JSON.stringify({ watch: id, ...done }))
    yield* Console.log(
      `${done.unit} ${done.changed ? "is written to" : "stands in"} ${done.file}.${atLogin(done.lingers)}`
    )
    yield* Console.log(
      watched
        ? `Until then souffleur pid ${owner.process.pid} watches ${id}; end that one and start the service to hand the watch over now.`
        : `It watches ${id} now.`
    )
  })
).pipe(
  withLayers(layerStore),
  Command.withDescription("Keep a watch running: also when souffleur dies, and after a reboot")
)

const statusCommand = Command.make(
  "status",
  flags,
  Effect.fnUntraced(function* (given) {
    const { id, watch } = yield* findWatch(namedIn(yield* Project, given.watch))
    const seen = yield* inspect(id)
    if (given.json) return yield* Console.log(JSON.stringify({ watch: id, ...seen }))
    if (!seen.installed) return yield* Console.log(`${id} has no service: "souffleur service install ${id}" makes one.`)
    yield* Console.log(
      `${seen.unit}: ${seen.active ?? "state unknown"}, ${seen.enabled === true ? "enabled" : "not enabled"}; ${seen.file}`
    )
    if (!seen.current)
      yield* Console.log(`Its file is not what it would be today: "souffleur service install ${id}" writes it again.`)
    if (watch.phase === "Exited")
      yield* Console.log(`The watch has ended: "souffleur service uninstall ${id}" removes it.`)
  })
).pipe(withLayers(layerStore), Command.withDescription("How the service of a watch stands"))

const uninstallCommand = Command.make(
  "uninstall",
  flags,
  Effect.fnUntraced(function* (given) {
    const { id, watch } = yield* findWatch(namedIn(yield* Project, given.watch))
    const { file, removed, unit } = yield* uninstall(id)
    if (given.json) return yield* Console.log(JSON.stringify({ watch: id, unit, file, removed }))
    if (!removed) return yield* Console.log(`${id} has no service.`)
    const goesOn =
      watch.phase === "Exited" ? "" : ` The watch is unfinished: "souffleur watch --resume ${id}" goes on with it.`
    yield* Console.log(`${unit} is ended and removed; the Conductor is left as it is.${goesOn}`)
  })
).pipe(withLayers(layerStore), Command.withDescription("Remove the service of a watch; its Conductor is left as it is"))

export const serviceCommand = Command.make("service").pipe(
  Command.withSubcommands([installCommand, statusCommand, uninstallCommand])
)
