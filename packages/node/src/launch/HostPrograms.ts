import * as fs from "node:fs"
import { isAbsolute, join } from "node:path"
import { Effect, Layer, PlatformError } from "effect"
import { OwnVariables } from "@souffleur/process"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

const isExecutable = (file: string): boolean => {
  try {
    if (!fs.statSync(file).isFile()) return false
    fs.accessSync(file, fs.constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the absolute path of the first program with that name in `PATH`. A path is returned as it is. Relative parts
 * of `PATH` are skipped: they would find another program in each folder.
 */
export const pathOf = (name: string, searchPath = process.env["PATH"] ?? ""): string | undefined =>
  name.includes("/")
    ? name
    : searchPath
        .split(":")
        .filter((folder) => isAbsolute(folder))
        .map((folder) => join(folder, name))
        .find(isExecutable)

/** Runs programs by their absolute path alone. So a file in a project is not run because it has a program's name. */
export const layer = Layer.effect(
  ChildProcessSpawner.ChildProcessSpawner,
  Effect.map(ChildProcessSpawner.ChildProcessSpawner, (host) =>
    ChildProcessSpawner.make((command) => {
      // souffleur pipes no program into another.
      if (command._tag !== "StandardCommand") return host.spawn(command)
      return Effect.flatMap(OwnVariables, (own) => {
        const given = command.options.env?.["PATH"] ?? own?.["PATH"]
        const path = pathOf(command.command, typeof given === "string" ? given : undefined)
        return path === undefined
          ? Effect.fail(
              PlatformError.systemError({
                _tag: "NotFound",
                module: "ChildProcess",
                method: "spawn",
                description: "there is no such program in PATH",
                pathOrDescriptor: command.command
              })
            )
          : host.spawn(ChildProcess.make(path, command.args, command.options))
      })
    })
  )
)
