import { readTrusted } from "@souffleur/process"
import { Effect, FileSystem, Option, Path } from "effect"
import { gitIn } from "../git/GitProgram.ts"

/** Maximum bytes of a ledger, and folders above a plan in which it may be. */
const [maxBytes, maxFolders] = [1_000_000, 12]

/** A task that superpowers' execution has ended: `Task 1: complete (commits a1b2c3d..d4e5f6a, review clean)`. */
const complete = /^(?:- )?Task (\w+): complete \(commits ([0-9a-f]{7,40})\.\.([0-9a-f]{7,40})[,)]/u
/** A task that it has taken up again since, or given up. */
const reopened = /^(?:- )?Task (\w+): (?:fix round|BLOCKED)\b/u

interface Range {
  readonly base: string
  readonly last: string
}

/** Returns the tasks that a ledger of this plan has as complete, each with its commits. Another's has none. */
const completeIn = (text: string, isPlan: (named: string) => boolean): ReadonlyMap<string, Range> => {
  const [first = "", ...lines] = text.split(/\r?\n/u)
  const named = /^# SDD ledger\b.*?\bplan: (.+)$/u.exec(first)?.[1]?.trim()
  const found = new Map<string, Range>()
  if (named === undefined || !isPlan(named)) return found
  for (const line of lines.map((whole) => whole.slice(0, 500))) {
    const [, number, base, last] = complete.exec(line) ?? []
    if (base !== undefined && last !== undefined) found.set(`task-${number}`, { base, last })
    found.delete(`task-${reopened.exec(line)?.[1]}`)
  }
  return found
}

/**
 * Returns the ids of tasks that superpowers' own execution of a plan has ended, by its ledger in the work tree, where
 * HEAD has their commits (spec: behaviour#plan-forms). None where it cannot be read.
 */
export const endedByLedger = Effect.fn("endedByLedger")(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const slug = path.basename(file, ".md")
  let root = path.dirname(file)
  for (let above = 0; above < maxFolders; above += 1, root = path.dirname(root)) {
    const ledger = path.join(root, ".superpowers", "sdd", slug, "progress.md")
    if (!(yield* Effect.orElseSucceed(fs.exists(ledger), () => false))) continue
    const bytes = yield* Effect.option(readTrusted(ledger, { others: "write as its group", atMost: maxBytes }))
    const text = Option.match(bytes, { onNone: () => "", onSome: (all) => new TextDecoder().decode(all) })
    const folder = root
    const said = [...completeIn(text, (named) => path.resolve(folder, named) === file)]
    if (said.length === 0) return new Set<string>()
    const { git } = yield* gitIn(folder)
    const held = yield* Effect.filter(said, ([, { base, last }]) =>
      Effect.match(
        Effect.andThen(
          git(["merge-base", "--is-ancestor", last, "HEAD"]),
          git(["rev-list", "--max-count=1", `${base}..${last}`])
        ),
        { onFailure: () => false, onSuccess: (commit) => commit.trim() !== "" }
      )
    )
    return new Set(held.map(([id]) => id))
  }
  return new Set<string>()
})
