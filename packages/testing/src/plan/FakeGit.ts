import { type Git, GitPort } from "@souffleur/plan"
import { Effect, Layer } from "effect"

/** A commit of the fake repository. */
export interface FakeCommit {
  /** 40 hex digits. */
  readonly id: string
  /** The files that it changes, by their paths from the project. */
  readonly files: ReadonlyArray<string>
}

/** A repository in memory, whose root is the project. A run asks it in place of git. */
export class FakeGit {
  /** The commits of the other branches, by their names. */
  readonly others = new Map<string, ReadonlyArray<FakeCommit>>()
  /** The commits of the branch that is checked out, oldest first. A new repository has one, without a file. */
  commits: ReadonlyArray<FakeCommit> = []
  /** The branch that is checked out; `null`: none. */
  branch: string | null = "main"
  /** Files that are changed, and not committed. A run waits until there are none. */
  changed: ReadonlyArray<string> = []
  /** Files that git neither knows nor ignores. */
  untracked: ReadonlyArray<string> = []
  #count = 0
  /** Commits that no branch has yet. */
  readonly #planned = new Map<string, FakeCommit>()

  constructor() {
    this.commit()
  }

  /** Commits these files, and returns the id of the commit. */
  commit(...files: ReadonlyArray<string>): string {
    const id = (++this.#count).toString(16).padStart(40, "0")
    this.commits = [...this.commits, { id, files }]
    return id
  }

  readonly #filesOf = (commits: ReadonlyArray<FakeCommit>) => [...new Set(commits.flatMap(({ files }) => files))]
  /** Branches of the repository. Two of them never conflict, and none has a remote. */
  get branches(): Git["branches"] {
    const all = () => new Map([...this.others, ...(this.branch === null ? [] : [[this.branch, this.commits] as const])])
    const upTo = (commit: string) => {
      const line = [this.commits, ...this.others.values()].find((commits) => commits.some(({ id }) => id === commit))
      return (line ?? []).slice(0, (line ?? []).findIndex(({ id }) => id === commit) + 1)
    }
    const checkOut = (name: string) => {
      if (this.branch !== null) this.others.set(this.branch, this.commits)
      this.commits = this.others.get(name) ?? this.commits
      this.others.delete(name)
      this.branch = name
    }
    return {
      heads: Effect.sync(() =>
        [...all()].map(([name, commits]) => ({ name, commit: commits.at(-1)?.id ?? "", workTree: "" }))
      ),
      defaults: Effect.succeed(["main"]),
      remote: Effect.undefined,
      begin: (name) => Effect.sync(() => checkOut(name)),
      isIn: (commit, other) => Effect.sync(() => upTo(other).some(({ id }) => id === commit)),
      merge: (ours, theirs) => Effect.succeed({ tree: `${ours} ${theirs}` }),
      commit: (_, [first, second]) =>
        Effect.sync(() => {
          const id = (++this.#count).toString(16).padStart(40, "0")
          this.others.set("", [...new Set([...upTo(first), ...upTo(second)]), { id, files: [] }])
          return id
        }),
      move: (name, to) => Effect.sync(() => void this.others.set(name, upTo(to))),
      checkout: (name) => Effect.sync(() => checkOut(name))
    }
  }

  readonly #open = (root: string, own: (root: string) => ReadonlyArray<string>) =>
    Effect.sync((): Git => {
      const ours = own(root)
      const theirs = (files: ReadonlyArray<string>) => files.filter((file) => !ours.includes(file))
      return {
        root,
        folder: root,
        unknown: (files) => Effect.sync(() => files.filter((file) => this.untracked.includes(file))),
        head: Effect.sync(() => this.commits.at(-1)?.id ?? null),
        status: Effect.sync(() => ({ branch: this.branch, conflicts: [], changed: theirs(this.changed) })),
        branches: this.branches,
        underWay: Effect.succeed(null),
        since: (base) =>
          Effect.sync(() => {
            const after = this.commits.slice(this.commits.findIndex(({ id }) => id === base) + 1)
            return { commits: after.map(({ id }) => id), files: theirs(this.#filesOf(after)) }
          }),
        untracked: Effect.sync(() => theirs(this.untracked)),
        reverted: (commits) =>
          Effect.sync(() => {
            const files = this.#filesOf(this.commits.filter(({ id }) => commits.includes(id)))
            const id = (++this.#count).toString(16).padStart(40, "0")
            this.#planned.set(id, { id, files })
            return { _tag: "Made", to: id, made: [id] } as const
          }),
        forward: (to) =>
          Effect.sync(() => {
            const planned = this.#planned.get(to)
            if (planned !== undefined) this.commits = [...this.commits, planned]
          }),
        has: (file) => Effect.sync(() => this.#filesOf(this.commits).includes(file)),
        missing: (commits) => Effect.sync(() => commits.filter((one) => this.commits.every(({ id }) => id !== one)))
      }
    })
  readonly layer = Layer.succeed(GitPort, { open: this.#open, exclude: () => Effect.succeed([]) })
}
