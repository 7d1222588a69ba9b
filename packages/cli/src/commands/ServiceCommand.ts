import { Claims } from "@souffleur/domain"
import { Console, Effect, Layer, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { findWatch, layerClaims, layerHost, layerStore, settingsOf, terminalsOf } from "@souffleur/embed/internal"
import { BadUsage } from "../Failure.ts"
import { everyWatch, shipper } from "../service/Service.ts"
import { inspect, install, uninstall, untilLogin } from "../service/ServiceManager.ts"
import { json, projectDir, realProject } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

const flags = {
  watch: Argument.String("watch").pipe(
    Argument.withDescription(
      "A watch's id, or any session id it had; fleet: the shipper of this host; nothing: every watch that is not finished"
    ),
    Argument.optional
  ),
  projectDir,
  json
}

const written = (done: Effect.Success<ReturnType<typeof install>>) =>
  `${done.unit} ${done.changed ? "is written to" : "is in"} ${done.file}. ${untilLogin(done)}`.trimEnd()

/** Finds the watch of a service. `None`: the service serves every watch, or ships. */
const served = Effect.fnUntraced(function* (name: Option.Option<string>) {
  return Option.isNone(name) || name.value === shipper ? Option.none() : Option.some(yield* findWatch(name.value))
})

/** Returns the id of a service without a watch, and its name for people. */
const watchless = (name: Option.Option<string>) =>
  Option.isNone(name) ? { id: everyWatch, called: "every watch" } : { id: shipper, called: "the shipper" }

/** Installs the service that resumes every unfinished watch. */
const installAll = Effect.fnUntraced(function* (asJson: boolean) {
  yield* terminalsOf(yield* settingsOf(yield* Project), {})
  const done = yield* install(everyWatch, true)
  if (asJson) return yield* Console.log(JSON.stringify({ watch: null, ...done }))
  yield* Console.log(written(done))
  yield* Console.log('It goes on with each watch whose souffleur has died: "souffleur release" ends a watch.')
})

/** Installs the service that ships the log of this host. */
const installShipper = Effect.fnUntraced(function* (asJson: boolean) {
  const { joinedFleet } = yield* Effect.promise(() => import("../fleet/JoinedFleet.ts"))
  const { url } = yield* joinedFleet
  const done = yield* install(shipper, true)
  if (asJson) return yield* Console.log(JSON.stringify({ watch: null, ...done }))
  yield* Console.log(written(done))
  yield* Console.log(`It ships the log of this host to ${url}: "souffleur fleet status" says how far.`)
})

const installCommand = Command.make(
  "install",
  flags,
  Effect.fnUntraced(function* (given) {
    const found = yield* served(given.watch)
    if (Option.isNone(found)) return yield* (Option.isNone(given.watch) ? installAll : installShipper)(given.json)
    const { id, watch } = found.value
    if (watch.phase === "Exited") return yield* new BadUsage({ message: `watch ${id} has ended: ${watch.end}` })
    // A service has no terminal for windows.
    yield* terminalsOf(yield* settingsOf(yield* realProject(watch.project)), {})
    const { owner } = watch
    const watched =
      owner !== undefined &&
      !(yield* Effect.flatMap(Claims, ({ isDead }) => isDead(owner)).pipe(
        Effect.provide(Layer.provide(layerClaims, layerHost))
      ))
    const done = yield* install(id, !watched)
    if (given.json) return yield* Console.log(JSON.stringify({ watch: id, ...done }))
    yield* Console.log(written(done))
    yield* Console.log(
      watched
        ? `Until then souffleur pid ${owner.process.pid} watches ${id}; end that one and start the service to hand the watch over now.`
        : `It watches ${id} now.`
    )
  })
).pipe(
  withLayers(layerStore),
  Command.withDescription(
    "Keep a watch, all of them or the shipper running: also when souffleur dies, and after a reboot"
  )
)

const statusCommand = Command.make(
  "status",
  flags,
  Effect.fnUntraced(function* (given) {
    const found = yield* served(given.watch)
    const id = Option.getOrUndefined(found)?.id
    const other = watchless(given.watch)
    const seen = yield* inspect(id ?? other.id)
    if (given.json) return yield* Console.log(JSON.stringify({ watch: id ?? null, ...seen }))
    const again = `"souffleur service install${Option.match(given.watch, { onNone: () => "", onSome: (name) => ` ${id ?? name}` })}"`
    if (!seen.installed)
      return yield* Console.log(
        `${id === undefined ? `There is no service of ${other.called}` : `${id} has no service`}: ${again} makes one.`
      )
    yield* Console.log(
      `${seen.unit}: ${seen.active ?? "state unknown"}, ${seen.enabled === true ? "enabled" : "not enabled"}; ${seen.file}`
    )
    if (!seen.current) yield* Console.log(`Its file is not what it would be today: ${again} writes it again.`)
    if (Option.exists(found, ({ watch }) => watch.phase === "Exited"))
      yield* Console.log(`The watch has ended: "souffleur service uninstall ${id}" removes it.`)
  })
).pipe(
  withLayers(layerStore),
  Command.withDescription("Show how the service of a watch is, the one of all, or that of the shipper")
)

const uninstallCommand = Command.make(
  "uninstall",
  flags,
  Effect.fnUntraced(function* (given) {
    const found = yield* served(given.watch)
    const id = Option.getOrUndefined(found)?.id
    const other = watchless(given.watch)
    const { file, removed, unit } = yield* uninstall(id ?? other.id)
    if (given.json) return yield* Console.log(JSON.stringify({ watch: id ?? null, unit, file, removed }))
    if (!removed)
      return yield* Console.log(id === undefined ? `There is no service of ${other.called}.` : `${id} has no service.`)
    const unfinished = Option.exists(found, ({ watch }) => watch.phase !== "Exited")
    const goesOn = unfinished ? ` The watch is unfinished: "souffleur resume ${id}" goes on with it.` : ""
    const left =
      id === undefined && other.id === shipper ? "nothing ships by itself now" : "each Conductor is left as it is"
    yield* Console.log(`${unit} is ended and removed; ${left}.${goesOn}`)
  })
).pipe(
  withLayers(layerStore),
  Command.withDescription(
    "Remove the service of a watch, the one of all, or that of the shipper; each Conductor is left as it is"
  )
)

/** Installs, shows and removes the system service of souffleur (spec: command-line#setting-up). */
export const serviceCommand = Command.make("service").pipe(
  Command.withSubcommands([installCommand, statusCommand, uninstallCommand])
)
