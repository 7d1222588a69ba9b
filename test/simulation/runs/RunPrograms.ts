import { Effect, Stream } from "effect"
import { ChildProcessSpawner } from "effect/process"
import type { Gate } from "../EffectGate.ts"
import { Repository } from "./Repository.ts"

/** The end of a program: its exit code, and its output. */
interface Ended {
  readonly code: number
  readonly text: string
}

const ended = (text: string): Ended => ({ code: 0, text })
const lines = (words: ReadonlyArray<string>) => ended(words.map((word) => `${word}\n`).join(""))
const zeroed = (words: ReadonlyArray<string>) => ended(words.map((word) => `${word}\0`).join(""))

const questions = new Set([
  "rev-parse",
  "config",
  "status",
  "rev-list",
  "ls-tree",
  "ls-files",
  "diff",
  "cat-file",
  "for-each-ref",
  "update-ref",
  "symbolic-ref",
  "mktree",
  "merge-tree",
  "commit-tree",
  "checkout",
  "reset",
  "worktree",
  "merge"
])

const branchIn = (ref: string) => ref.replace("refs/heads/", "")

/** Sets a branch from the commit that it has, or is not to have. */
const updated = ({ judge, repository }: Pick<Desk, "judge" | "repository">, words: ReadonlyArray<string>): Ended => {
  const [ref = "", to = "", from = ""] = words
  const branch = branchIn(ref)
  if ((repository.commitOf(branch) ?? "") !== from) return { code: 128, text: "" }
  judge.moves(branch, from === "" ? null : from, to)
  repository.set(branch, to)
  return ended("")
}

/** Makes and removes the work trees of tasks. */
const worktree = ({ folder, repository }: Desk, args: ReadonlyArray<string>): Ended => {
  const { linked } = repository
  if (args[1] === "add") {
    const [path, branch] = args.slice(-2) as [string, string]
    if (linked.has(path) || repository.commitOf(branch) === null) return { code: 128, text: "" }
    linked.set(path, new Repository(repository, branch))
    folder(path, true)
    return ended("")
  }
  if (args[1] === "list") return zeroed([...linked.keys()].map((path) => `worktree ${path}`))
  const path = args.at(-1)!
  folder(path, false)
  return linked.delete(path) ? ended("") : { code: 128, text: "" }
}

/** Answers what souffleur asks git, and moves HEAD where it is told to. */
const git = (desk: Desk, folder: string, args: ReadonlyArray<string>, input: string): Ended => {
  const repository = folder === "/project" ? desk.repository : desk.repository.linked.get(folder)
  if (repository === undefined) return { code: 128, text: "" }
  const named = input.split("\n").filter((line) => line !== "")
  const [asked, first] = args
  switch (asked) {
    case "mktree":
      return lines([repository.treeId()])
    case "commit-tree":
      return lines([
        repository.commitTree(
          first!,
          args.filter((_, at) => args[at - 1] === "-p")
        )
      ])
    case "worktree":
      return worktree(desk, args)
    case "reset":
      return lines([])
    case "merge":
      desk.judge.lands(args.at(-1)!)
      return repository.forward(args.at(-1)!) ? lines([]) : { code: 128, text: "" }
  }
  switch (`${asked} ${first}`) {
    case "rev-parse --show-toplevel":
      return lines([folder])
    case "rev-parse --show-prefix":
      return lines([""])
    case "rev-parse --verify":
      return lines([repository.treeId(args.at(-1)!)])
    case "rev-parse --git-path":
      return lines([`${folder}/.git/${args.at(-1)}`])
    case "rev-parse --absolute-git-dir":
      return lines([`${folder}/.git`])
    case "status --porcelain=v2":
      return zeroed([
        `# branch.head ${repository.branch}`,
        ...[...repository.changed].map((file) => `1 .M N... 100644 100644 100644 a b ${file}`),
        ...[...repository.conflicts].map((file) => `u UU N... 100644 100644 100644 100644 a b c ${file}`)
      ])
    case "config --list":
      return zeroed([])
    case "for-each-ref --format=%(refname)%00%(objectname)%00%(worktreepath)":
      return lines(
        [...repository.branches].map(
          ([name, id]) => `refs/heads/${name}\0${id}\0${name === repository.branch ? "/project" : ""}`
        )
      )
    case "update-ref --create-reflog":
      return updated(desk, args.slice(4))
    case "update-ref -d": {
      const branch = branchIn(args[2]!)
      if (repository.commitOf(branch) !== args[3]) return { code: 1, text: "" }
      desk.judge.removes(branch)
      repository.set(branch, null)
      return ended("")
    }
    case "update-ref -m":
      return updated(desk, args.slice(3))
    case "symbolic-ref -m":
      repository.checkOut(branchIn(args[4]!))
      return ended("")
    case "checkout --quiet":
      if (!repository.isClean) return { code: 1, text: "" }
      repository.checkOut(args[4]!)
      return ended("")
    case "rev-list --max-count=1": {
      if (args[2] === "--stdin") {
        const without = named.find((one) => one.startsWith("^"))?.slice(1) ?? null
        return lines(named.filter((one) => !one.startsWith("^")).flatMap((one) => repository.range(without, one)))
      }
      return lines(repository.range(args[3]!.slice(1), args[2]!).slice(-1))
    }
    case "merge-tree --write-tree": {
      const merged = repository.merge(args[4]!, args[5]!)
      return "tree" in merged ? lines([merged.tree]) : { code: 1, text: `${"0".repeat(40)}\n${merged.conflict}\n` }
    }
    case "cat-file commit":
      return ended(`tree t\n${lines(repository.parentsOf(args[2]!).map((one) => `parent ${one}`)).text}\na commit\n`)
    case "rev-list --reverse": {
      const [base] = args.at(-2)!.split("..")
      return lines(repository.range(base === "HEAD" ? null : base!))
    }
    case "rev-list --stdin": {
      const beyond = named.filter((id) => id !== "^HEAD").flatMap((id) => repository.range(repository.head, id))
      return lines([...new Set(beyond)])
    }
    case "ls-tree -z":
      return zeroed(repository.differences(null).filter((file) => file === args.at(-1)))
    case "ls-files --others":
      return zeroed([])
    case "ls-tree -r":
      return zeroed(repository.differences(null))
    case "diff --name-only":
      return zeroed(repository.differences(args.at(-3)!))
    case "cat-file --batch-check=%(objectname) %(objecttype)":
      return lines(
        named
          .map((name) => [
            name,
            name === "HEAD" ? repository.head : repository.has(name) ? name : repository.commitOf(branchIn(name))
          ])
          .map(([name, id]) => (id === null ? `${name} missing` : `${id} commit`))
      )
    default:
      throw new Error(`git ${args.join(" ")} is not simulated`)
  }
}

/** Names a question to git, without ids. */
const nameOf = ([asked, first = ""]: ReadonlyArray<string>) =>
  asked === "mktree" || asked === "commit-tree" ? `git ${asked}` : `git ${asked} ${first.split("=")[0]}`

export interface Desk {
  readonly repository: Repository
  readonly judge: {
    moves(branch: string, from: string | null, to: string): void
    lands(to: string): void
    removes(branch: string): void
  }
  /** Notes that a folder is there, or is not. */
  readonly folder: (path: string, isThere: boolean) => void
  /** Returns whether git gives no answer this time. */
  readonly gitFails: () => boolean
}

const unused = Effect.die("not simulated")

/** The one program that a souffleur runs: git. */
export const programs = (desk: Desk, gate: Gate) =>
  ChildProcessSpawner.make(
    Effect.fnUntraced(function* (command) {
      if (command._tag !== "StandardCommand") return yield* unused
      const stdin = command.options.stdin
      const input = Stream.isStream(stdin)
        ? yield* Stream.mkString(Stream.decodeText(stdin as Stream.Stream<Uint8Array>))
        : ""
      const all = command.args.map(String)
      const args = all.slice(all.findIndex((word) => questions.has(word)))
      if (command.command !== "git") return yield* unused
      const { code, text } = yield* gate.through(
        nameOf(args),
        Effect.sync(() =>
          desk.gitFails() ? { code: 128, text: "" } : git(desk, all[all.indexOf("-C") + 1]!, args, input)
        )
      )
      return ChildProcessSpawner.makeHandle({
        pid: ChildProcessSpawner.ProcessId(1),
        exitCode: Effect.succeed(ChildProcessSpawner.ExitCode(code)),
        stdout: Stream.make(new TextEncoder().encode(text)),
        stderr: Stream.empty,
        all: Stream.make(new TextEncoder().encode(text)),
        isRunning: Effect.succeed(false),
        kill: () => Effect.void,
        stdin: unused as never,
        getInputFd: () => unused as never,
        getOutputFd: () => Stream.empty,
        unref: unused
      })
    })
  )
