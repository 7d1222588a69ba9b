import { gitOf, parseStatus } from "@souffleur/plan"
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { commitAt } from "../../../packages/supervisor/src/solo/Commits.ts"
import { border, holds } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { bytes, mangled, plainWord, run, some, torn, word } from "../Hostile.ts"
import { printing } from "../FuzzPrograms.ts"
import { settle } from "../Settle.ts"

const hash = "0123456789abcdef0123456789abcdef01234567"
const entries = [
  `1 .M N... 100644 100644 100644 ${hash} ${hash} src/a b.ts`,
  `2 R. N... 100644 100644 100644 ${hash} ${hash} R100 new.ts\0old.ts`,
  `u UU N... 100644 100644 100644 100644 ${hash} ${hash} ${hash} c.ts`,
  "? d.ts"
]

export const git = border("git-output", {
  share: 6,
  draw: (seed) => {
    const status = some(seed, 8, () => (seed.chance(0.8) ? seed.pick(entries) : run(seed))).join("\0")
    const lines = [hash, `${hash} commit`, `${hash} tree`, "--help", "HEAD missing", word(seed), run(seed)]
    const output = () =>
      seed.pick<() => string>([
        () => mangled(seed, status),
        () => some(seed, 6, () => seed.pick(lines)).join(seed.pick(["\n", "\0"])),
        () => run(seed)
      ])()
    return {
      status: mangled(seed, status),
      outputs: Array.from({ length: 8 }, () => torn(seed, output())),
      code: seed.pick([0, 0, 0, 1, 128]),
      commits: some(seed, 4, () => word(seed))
    }
  },
  checks: {
    "a status": ({ status }) => void parseStatus(status),
    "a repository": async ({ code, commits, outputs }) => {
      const asked = Effect.gen(function* () {
        const git = yield* gitOf("/work/opera", () => [])
        yield* Effect.exit(git.head)
        yield* Effect.exit(git.status)
        yield* Effect.exit(git.since(hash))
        yield* Effect.exit(git.missing(commits))
      })
      await settle(Effect.provide(asked, printing(outputs, code)))
    }
  }
})

/** Checks the files of git that a poll reads itself. Any process may have written to such a project. */
export const gitFiles = border("git-files", {
  share: 3,
  draw: (seed) => {
    const text = () =>
      seed.pick<() => Uint8Array>([
        () =>
          torn(
            seed,
            seed.pick([
              `${hash}\n`,
              "ref: refs/heads/main\n",
              `ref: ${plainWord(seed)}`,
              "ref: refs/../../../../etc/passwd",
              `gitdir: ${plainWord(seed)}`
            ])
          ),
        () => torn(seed, run(seed)),
        () => bytes(seed)
      ])()
    return {
      linked: seed.chance(0.3),
      head: text(),
      ref: text(),
      packed: torn(seed, `# pack-refs\n${hash} refs/heads/main\n${run(seed)}`),
      common: text()
    }
  },
  checks: {
    "are read": async ({ common, head, linked, packed, ref }, place) => {
      const { project, write } = homeIn(place.folder)
      if (linked) write("opera/.git", head)
      else {
        mkdirSync(join(project, ".git"))
        write("opera/.git/HEAD", head)
        write("opera/.git/refs/heads/main", ref)
        write("opera/.git/packed-refs", packed)
        write("opera/.git/commondir", common)
      }
      const found = await settle(Effect.orElseSucceed(commitAt(project), () => ""))
      holds(
        found._tag === "Success" && /^[0-9a-f]*$/u.test(found.value),
        "a commit that is no name",
        found._tag === "Success" ? found.value : ""
      )
    }
  }
})
