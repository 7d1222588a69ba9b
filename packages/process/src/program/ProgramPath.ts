import { Effect, FileSystem, Option, Path } from "effect"
import { AgentNotFound } from "@souffleur/domain"

/** Bytes of a program's beginning, as many as Linux reads of its first line. */
const headBytes = 256

/**
 * Explains why the system cannot run an executable file. `undefined`: no reason is known, as where the file cannot be
 * read. A shell would run a text without such a first line, and the system does not.
 */
const unrunnable = Effect.fnUntraced(
  function* (file: string) {
    const fs = yield* FileSystem.FileSystem
    const head = yield* (yield* fs.open(file)).readAlloc(headBytes)
    if (Option.isNone(head) || head.value.includes(0)) return undefined
    const text = new TextDecoder().decode(head.value)
    if (!text.startsWith("#!")) return `${file} cannot be run: give it a first line such as #!/bin/sh`
    const interpreter = /^#![ \t]*(\/[^ \t\n]*)[ \t\n]/u.exec(text)?.[1]
    return interpreter === undefined || (yield* fs.exists(interpreter))
      ? undefined
      : `${file} cannot be run: its first line names ${JSON.stringify(interpreter)}, which is not there`
  },
  Effect.scoped,
  Effect.orElseSucceed(() => undefined)
)

/**
 * Finds the absolute path of a program: the program itself if it is a path, else the first executable file of that name
 * in `PATH`. A relative path begins at `folder`, by default this process's own. Fails with `AgentNotFound`, also if the
 * system cannot run it.
 */
export const resolveProgram = Effect.fn("resolveProgram")(function* (
  program: string,
  searchPath: string,
  folder = ""
): Effect.fn.Return<string, AgentNotFound, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const checked = Effect.fnUntraced(function* (file: string) {
    const problem = yield* unrunnable(file)
    return problem === undefined ? file : yield* new AgentNotFound({ program, problem })
  })
  const executable = (file: string) =>
    fs.stat(file).pipe(
      Effect.map((info) => info.type === "File" && (info.mode & 0o111) !== 0),
      Effect.orElseSucceed(() => false)
    )
  if (program.includes("/")) {
    const file = path.resolve(folder, program)
    if (yield* executable(file)) return yield* checked(file)
    return yield* new AgentNotFound({ program, problem: `${file} is not an executable file`, missing: true })
  }
  // A relative part of PATH would find another program in each folder.
  for (const folder of searchPath.split(":").filter((folder) => path.isAbsolute(folder))) {
    const file = path.join(folder, program)
    if (yield* executable(file)) return yield* checked(file)
  }
  return yield* new AgentNotFound({ program, problem: `there is no program ${program} in PATH`, missing: true })
})
