import { Effect, FileSystem, Path } from "effect"
import { gitIn } from "../git/GitProgram.ts"

const parts = (text: string) => text.split("\0").filter((part) => part !== "")

/** Copies files of one work tree into another, links as links. What cannot be copied is left out. */
const copied = Effect.fnUntraced(function* (root: string, folder: string, names: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const name of names) {
    const [from, to] = [path.join(root, name), path.join(folder, name)]
    const one = Effect.matchEffect(fs.readLink(from), {
      onFailure: () => fs.copyFile(from, to),
      onSuccess: (target) => fs.symlink(target, to)
    })
    yield* Effect.ignore(Effect.andThen(fs.makeDirectory(path.dirname(to), { recursive: true }), one))
  }
})

/** Copies the ignored files that a project wants in each work tree, by its `.worktreeinclude`. */
export const includeFiles = Effect.fn("includeFiles")(function* (root: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(root, ".worktreeinclude")
  if (!(yield* fs.exists(file))) return
  const whole = yield* gitIn(root)
  const named = parts(yield* whole.git(["ls-files", "--others", "--ignored", `--exclude-from=${file}`, "-z"]))
  const ignored = yield* whole.ignored(named)
  yield* copied(
    root,
    folder,
    named.filter((one) => ignored.has(one))
  )
})

/** Copies those of these files, and of what these folders hold, that git does not know. `names`: from the root on. */
export const includeUnknown = Effect.fn("includeUnknown")(function* (
  root: string,
  folder: string,
  names: ReadonlyArray<string>
) {
  const { git } = yield* gitIn(root)
  yield* copied(root, folder, parts(yield* git(["ls-files", "--others", "-z", "--", ...names])))
})
