import { Effect, FileSystem, Path } from "effect"
import { AgentNotFound } from "@souffleur/domain"

/**
 * Finds the absolute path of a program. It is the program itself when that is a path. Otherwise it is the first
 * executable file of that name in `PATH`. Fails with `AgentNotFound`.
 */
export const resolveProgram = Effect.fn("resolveProgram")(function* (
  program: string,
  searchPath: string
): Effect.fn.Return<string, AgentNotFound, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const executable = (file: string) =>
    fs.stat(file).pipe(
      Effect.map((info) => info.type === "File" && (info.mode & 0o111) !== 0),
      Effect.orElseSucceed(() => false)
    )
  if (program.includes("/")) {
    const file = path.resolve(program)
    if (yield* executable(file)) return file
    return yield* new AgentNotFound({ program, problem: `${file} is not an executable file` })
  }
  // A relative part of PATH would find another program in each folder.
  for (const folder of searchPath.split(":").filter((folder) => path.isAbsolute(folder))) {
    const file = path.join(folder, program)
    if (yield* executable(file)) return file
  }
  return yield* new AgentNotFound({ program, problem: `there is no program ${program} in PATH` })
})
