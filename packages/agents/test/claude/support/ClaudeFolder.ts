import { type ProcessInfo, Processes } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Layer, Option, Path } from "effect"

/** Makes the port with these running processes and no others. */
export const running = (...infos: ReadonlyArray<ProcessInfo>): Layer.Layer<Processes> =>
  Layer.mock(Processes)({
    self: { pid: 1, startTime: 1, bootId: "boot" },
    host: { name: "host", machine: "m", pidNamespace: "pid:[1]", uid: 1000 },
    find: (pid) => Effect.succeed(Option.fromUndefinedOr(infos.find((info) => info.identity.pid === pid)))
  })

export const aProcess = (pid: number, startTime: number, more: Partial<ProcessInfo> = {}): ProcessInfo => ({
  identity: { pid, startTime, bootId: "boot" },
  parent: 1,
  uid: 1000,
  name: "claude",
  condition: "running",
  ...more
})

/** Makes a Claude folder with the given files, by their path in it. */
export const claudeFolder = Effect.fnUntraced(function* (files: Readonly<Record<string, string | Uint8Array>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-claude-" })
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* typeof content === "string" ? fs.writeFileString(file, content) : fs.writeFile(file, content)
  }
  return folder
})

export const services = HostServices.layer
