import { replaceDurably } from "@souffleur/process"
import { Effect, FileSystem, Option, Path } from "effect"
import { BadUsage } from "../Failure.ts"
import { Environment } from "../world/CommandEnvironment.ts"

/** The shells that load a completion from a file. */
export const shells = ["bash", "zsh", "fish"] as const
/** A shell that souffleur writes completions for. */
export type CompletedShell = (typeof shells)[number]

/** This line marks a file that souffleur may change and remove. */
const mark = '# Written by "souffleur completions install"; "souffleur completions uninstall" removes it.'

/** Returns the shell that a person uses, by `SHELL`. Fails with `BadUsage` where it is none of these. */
export const usualShell = Effect.gen(function* () {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const name = path.basename(variables["SHELL"] ?? "")
  const found = shells.find((shell) => shell === name)
  return found ?? (yield* new BadUsage({ message: `which shell? souffleur completions install ${shells.join("|")}` }))
})

/** Returns the file from which a shell loads the completion of souffleur. Fails with `BadUsage` without a home. */
const completionFile = Effect.fn("completionFile")(function* (shell: CompletedShell) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const home = variables["HOME"] ?? ""
  if (!path.isAbsolute(home)) return yield* new BadUsage({ message: "HOME must be set to an absolute path" })
  // The XDG specification says to ignore a relative path.
  const folder = (name: string, ...usual: ReadonlyArray<string>) =>
    path.isAbsolute(variables[name] ?? "") ? variables[name]! : path.join(home, ...usual)
  switch (shell) {
    case "bash":
      return path.join(folder("XDG_DATA_HOME", ".local", "share"), "bash-completion", "completions", "souffleur")
    case "zsh":
      return path.join(folder("XDG_DATA_HOME", ".local", "share"), "zsh", "site-functions", "_souffleur")
    case "fish":
      return path.join(folder("XDG_CONFIG_HOME", ".config"), "fish", "completions", "souffleur.fish")
  }
})

/** Reads a completion of ours. `None`: there is none. Fails with `BadUsage` for a file that souffleur did not write. */
const ours = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const link = Option.isSome(yield* Effect.option(fs.readLink(file)))
  if (!link && !(yield* fs.exists(file))) return Option.none()
  const text = link ? "" : yield* fs.readFileString(file)
  return text.includes(mark)
    ? Option.some(text)
    : yield* new BadUsage({ message: `${file} was not written by souffleur: it is left as it is` })
})

/**
 * Writes the completion of a shell. `changed`: the file was another, or none. Fails with `BadUsage` for a foreign file.
 */
export const installCompletion = Effect.fn("installCompletion")(function* (shell: CompletedShell, script: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = yield* completionFile(shell)
  // The first line of a completion of zsh is for zsh itself.
  const text = `${script.trimEnd()}\n\n${mark}\n`
  const changed = !Option.contains(yield* ours(file), text)
  if (changed) {
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* replaceDurably(file, text)
  }
  return { shell, file, changed }
})

/** Removes the completion of a shell. Fails with `BadUsage` for a foreign file. */
export const uninstallCompletion = Effect.fn("uninstallCompletion")(function* (shell: CompletedShell) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* completionFile(shell)
  const removed = Option.isSome(yield* ours(file))
  if (removed) yield* fs.remove(file)
  return { shell, file, removed }
})

/** Finds the completions that souffleur has written. A foreign file is none. */
export const completionsHere = Effect.gen(function* () {
  const found = yield* Effect.forEach(shells, (shell) =>
    Effect.gen(function* () {
      const file = yield* completionFile(shell)
      return Option.isSome(yield* ours(file)) ? [{ shell, file }] : []
    }).pipe(Effect.orElseSucceed(() => []))
  )
  return found.flat()
})
