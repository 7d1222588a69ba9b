import { replaceDurably, runProgram } from "@souffleur/process"
import { Effect, FileSystem, Option, Path } from "effect"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage } from "../Failure.ts"
import { byCron } from "./CronLine.ts"
import { launchdPlist } from "./LaunchdPlist.ts"
import { type Service, serviceOf } from "./Service.ts"
import { ServiceFailed } from "./ServiceFailed.ts"
import { systemdUnit } from "./SystemdUnit.ts"

/** This line marks a file that souffleur may change and remove. */
const mark = 'Written by "souffleur service install"; "souffleur service uninstall" removes it.'

type Command = readonly [string, ...ReadonlyArray<string>]

/** The service manager of this system as data: the file of a service, its text, and the commands. */
interface Manager {
  readonly name: "systemd" | "launchd"
  /** The manager's name of the service. */
  readonly unit: string
  readonly file: string
  readonly text: string
  /** The commands after the file was written or changed. */
  readonly enable: ReadonlyArray<Command>
  readonly start: Command
  readonly disable: Command
  /** The commands after the file was removed. */
  readonly forget: ReadonlyArray<Command>
  /** The command that prints the properties of the unit, as `Key=value` lines. */
  readonly show: Command | undefined
}

const user = (...words: ReadonlyArray<string>): Command => ["systemctl", "--user", ...words]

const managerOf = Effect.fnUntraced(function* (service: Service) {
  const { platform, variables } = yield* Environment
  const path = yield* Path.Path
  const home = variables["HOME"] ?? ""
  if (!path.isAbsolute(home)) return yield* new BadUsage({ message: "HOME must be set to an absolute path" })
  const broken = [...service.line, ...Object.values(service.environment)].find((text) => /[\0\n\r]/u.test(text))
  if (broken !== undefined)
    return yield* new BadUsage({ message: "a path or setting with a line break cannot go into a service file" })
  if (platform === "darwin") {
    const unit = `souffleur.${service.id}`
    const file = path.join(home, "Library", "LaunchAgents", `${unit}.plist`)
    const start: Command = ["launchctl", "load", "-w", file]
    const text = launchdPlist(service, mark)
    const disable: Command = ["launchctl", "unload", "-w", file]
    const launchd: Manager = {
      name: "launchd",
      unit,
      file,
      text,
      enable: [],
      start,
      disable,
      forget: [],
      show: undefined
    }
    return launchd
  }
  if (platform !== "linux")
    return yield* new BadUsage({
      message: `services are built for systemd and launchd, and this is ${platform}; ${byCron(service)}`
    })
  const unit = `souffleur-${service.id}.service`
  const config = variables["XDG_CONFIG_HOME"] ?? ""
  const systemd: Manager = {
    name: "systemd",
    unit,
    file: path.join(path.isAbsolute(config) ? config : path.join(home, ".config"), "systemd", "user", unit),
    text: systemdUnit(service, mark),
    enable: [user("daemon-reload"), user("enable", unit)],
    start: user("start", unit),
    disable: user("disable", "--now", unit),
    forget: [user("daemon-reload")],
    show: user("show", "--property=ActiveState,UnitFileState", unit)
  }
  return systemd
})

/** Runs a command of the manager. A start waits until the watch is owned, and a stop until souffleur has left. */
const run = ([command, ...args]: Command) =>
  runProgram({ command, args, stdin: "", within: "100 seconds", atMost: 65_536, heard: true })

/** Runs the commands of the manager. Fails with `ServiceFailed`, which names the command to run by hand. */
const runAll = (commands: ReadonlyArray<Command>) =>
  Effect.forEach(commands, (command) =>
    Effect.mapError(
      run(command),
      ({ message }) => new ServiceFailed({ message: `"${command.join(" ")}" failed: ${message}` })
    )
  )

/** Reads the service file. `None`: there is none. Fails with `BadUsage` for a file that souffleur did not write. */
const serviceText = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* fs.exists(file))) return Option.none()
  const text = yield* fs.readFileString(file)
  return text.includes(mark)
    ? Option.some(text)
    : yield* new BadUsage({ message: `${file} was not written by souffleur: it is left as it is` })
})

/** Finds out if services run while their user is not logged in. `null`: it is unknown. */
const lingers = Effect.fnUntraced(function* () {
  const fs = yield* FileSystem.FileSystem
  const { platform, variables } = yield* Environment
  const name = variables["USER"] ?? variables["LOGNAME"] ?? ""
  if (platform !== "linux" || !/^[A-Za-z0-9_.][\w.@-]*$/u.test(name)) return null
  return yield* Effect.orElseSucceed(fs.exists(`/var/lib/systemd/linger/${name}`), () => null)
})

/**
 * Writes the service of a watch (0600), and has the manager start it with the user's session. `start`: it also starts
 * now. A second call changes nothing. Fails with `ServiceFailed` where a command of the manager fails. A file that the
 * manager does not take is as before. Fails with `BadUsage` on another system.
 */
export const install = Effect.fn("ServiceManager.install")(function* (id: string, start: boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const service = serviceOf(id, yield* Environment)
  const manager = yield* managerOf(service)
  const before = yield* serviceText(manager.file)
  const changed = !Option.contains(before, manager.text)
  if (changed) {
    yield* fs.makeDirectory(path.dirname(manager.file), { recursive: true, mode: 0o700 })
    yield* replaceDurably(manager.file, manager.text)
  }
  const asBefore = Option.match(before, {
    onNone: () => fs.remove(manager.file),
    onSome: (text) => replaceDurably(manager.file, text)
  })
  // A file that the manager does not take would be taken for a service.
  yield* runAll(manager.enable).pipe(
    Effect.tapError(() => (changed ? asBefore : Effect.void)),
    Effect.mapError(({ message }) => new ServiceFailed({ message: `${message}; ${byCron(service)}` }))
  )
  if (start) yield* runAll([manager.start])
  return {
    manager: manager.name,
    unit: manager.unit,
    file: manager.file,
    changed,
    started: start,
    lingers: yield* lingers()
  }
}, Effect.scoped)

/**
 * Ends the service of a watch and removes its file. The Conductor lives on, and the watch can be resumed. Fails with
 * `ServiceFailed` where a command of the manager fails.
 */
export const uninstall = Effect.fn("ServiceManager.uninstall")(function* (id: string) {
  const fs = yield* FileSystem.FileSystem
  const manager = yield* managerOf(serviceOf(id, yield* Environment))
  const removed = Option.isSome(yield* serviceText(manager.file))
  if (removed) {
    yield* runAll([manager.disable])
    yield* fs.remove(manager.file)
    yield* runAll(manager.forget)
  }
  return { unit: manager.unit, file: manager.file, removed }
})

/** Finds every service that souffleur has written: the id of its watch, and its file. A foreign file is none. */
export const installed = Effect.fn("ServiceManager.installed")(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const manager = yield* Effect.option(managerOf(serviceOf("any", yield* Environment)))
  if (Option.isNone(manager)) return []
  const folder = path.dirname(manager.value.file)
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), (): ReadonlyArray<string> => [])
  const services = names.flatMap((name) => {
    const id = /^souffleur[.-](.+)\.(?:service|plist)$/u.exec(name)?.[1]
    return id === undefined ? [] : [{ id, file: path.join(folder, name) }]
  })
  return yield* Effect.filter(services, ({ file }) =>
    Effect.map(Effect.option(serviceText(file)), (text) => Option.isSome(Option.flatten(text)))
  )
})

/** Says how a service begins with the machine, where it waits for a login. Empty: it does not wait. */
export const untilLogin = ({
  lingers,
  manager
}: Pick<Effect.Success<ReturnType<typeof install>>, "lingers" | "manager">) =>
  manager === "systemd" && lingers !== true
    ? 'It starts when you log in; to start it with the machine: "loginctl enable-linger".'
    : ""

/** Reads the state of a watch's service. `current`: an installation now would write the same file. */
export const inspect = Effect.fn("ServiceManager.inspect")(function* (id: string) {
  const manager = yield* managerOf(serviceOf(id, yield* Environment))
  const text = yield* serviceText(manager.file)
  const shown = manager.show === undefined ? "" : yield* Effect.orElseSucceed(run(manager.show), () => "")
  const value = (name: string) => new RegExp(`^${name}=(.+)$`, "mu").exec(shown)?.[1] ?? null
  return {
    manager: manager.name,
    unit: manager.unit,
    file: manager.file,
    installed: Option.isSome(text),
    current: Option.contains(text, manager.text),
    enabled: value("UnitFileState") === null ? null : value("UnitFileState") === "enabled",
    active: value("ActiveState"),
    lingers: yield* lingers()
  }
})
