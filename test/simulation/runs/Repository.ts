type Tree = ReadonlyMap<string, number>

interface Commit {
  readonly id: string
  readonly parents: ReadonlyArray<string>
  readonly tree: Tree
}

/** Returns the file that two commits changed in different ways, or the tree of both. */
export type TreeOfBoth = { readonly tree: string } | { readonly conflict: string }

/** One work tree of a git repository: its HEAD and uncommitted files, over commits with their trees and branches. */
export class Repository {
  readonly #commits: Map<string, Commit>
  readonly #branches: Map<string, string>
  readonly #trees: Map<string, Tree>
  readonly #treeIds: Map<string, string>
  readonly #contents: { count: number }
  #branch: string
  /** The other work trees of the repository, by their folders. */
  readonly linked = new Map<string, Repository>()
  readonly changed = new Set<string>()
  readonly conflicts = new Set<string>()
  /** How often a person moved HEAD, or another branch. */
  moved = 0

  /** `of`: the repository of which it is a further work tree, on this branch. */
  constructor(of?: Repository, branch = "main") {
    this.#commits = of === undefined ? new Map() : of.#commits
    this.#branches = of === undefined ? new Map() : of.#branches
    this.#trees = of === undefined ? new Map() : of.#trees
    this.#treeIds = of === undefined ? new Map() : of.#treeIds
    this.#contents = of === undefined ? { count: 0 } : of.#contents
    this.#branch = branch
  }

  get head(): string | null {
    return this.commitOf(this.#branch)
  }

  /** The branch that is checked out. */
  get branch(): string {
    return this.#branch
  }

  get branches(): ReadonlyMap<string, string> {
    return this.#branches
  }

  get isClean(): boolean {
    return this.changed.size === 0 && this.conflicts.size === 0
  }

  has(id: string): boolean {
    return this.#commits.has(id)
  }

  /** The commit of a branch; `null`: it has none, or is not there. */
  commitOf(branch: string): string | null {
    return this.#branches.get(branch) ?? null
  }

  #id(): string {
    return (this.#commits.size + this.#trees.size + 1).toString(16).padStart(40, "0")
  }

  #add(parents: ReadonlyArray<string>, tree: Tree): string {
    const id = this.#id()
    this.#commits.set(id, { id, parents, tree })
    return id
  }

  /** Makes a commit that changes these files, on the branch that is checked out or on another. No files: an empty one. */
  commit(files: ReadonlyArray<string>, branch: string = this.#branch): string {
    const parent = this.commitOf(branch)
    const tree = new Map(this.#tree(parent))
    for (const file of files) tree.set(file, ++this.#contents.count)
    const id = this.#add(parent === null ? [] : [parent], tree)
    this.#branches.set(branch, id)
    return id
  }

  /** Merges a commit into HEAD by its own files where both differ. */
  mergeIn(other: string): void {
    const { head } = this
    if (head === null || this.#history(head).includes(other)) return
    this.#branches.set(this.#branch, this.#add([head, other], new Map([...this.#tree(other), ...this.#tree(head)])))
  }

  /** Sets a branch, or removes it. */
  set(branch: string, commit: string | null): void {
    if (commit === null) this.#branches.delete(branch)
    else this.#branches.set(branch, commit)
  }

  /** Makes a branch the one that is checked out, whatever is in the work tree. */
  checkOut(branch: string): void {
    this.#branch = branch
  }

  /** Merges two commits apart from any branch. */
  merge(ours: string, theirs: string): TreeOfBoth {
    const known = new Set(this.#history(theirs))
    const before = this.#tree(this.#history(ours).find((id) => known.has(id)) ?? null)
    const [left, right] = [this.#tree(ours), this.#tree(theirs)]
    const tree = new Map(left)
    for (const file of new Set([...before.keys(), ...right.keys()])) {
      const content = right.get(file)
      if (content === before.get(file) || content === left.get(file)) continue
      if (left.get(file) !== before.get(file)) return { conflict: file }
      if (content === undefined) tree.delete(file)
      else tree.set(file, content)
    }
    return { tree: this.#named(tree) }
  }

  /** Makes a commit of a tree and its parents, on no branch. */
  commitTree(tree: string, parents: ReadonlyArray<string>): string {
    return this.#add(parents, this.#treeNamed(tree))
  }

  /** Names a tree by its content: one by its name, or that of a commit as `<id>^{tree}`. None: the empty one. */
  treeId(tree?: string): string {
    return this.#named(tree === undefined ? new Map() : this.#treeNamed(tree))
  }

  /** Returns the parents of a commit. */
  parentsOf(id: string): ReadonlyArray<string> {
    return this.#commits.get(id)!.parents
  }

  /** Returns whether a commit has several parents. */
  isMerge(id: string): boolean {
    return this.parentsOf(id).length > 1
  }

  /** Moves HEAD forward to a commit that comes after it. Returns whether it could. */
  forward(to: string): boolean {
    if (!this.isClean || !this.#history(to).includes(this.head ?? to)) return false
    this.#branches.set(this.#branch, to)
    return true
  }

  #named(tree: Tree): string {
    const content = JSON.stringify([...tree].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    const id = this.#treeIds.get(content) ?? this.#id()
    this.#treeIds.set(content, id)
    this.#trees.set(id, tree)
    return id
  }

  #treeNamed(name: string): Tree {
    return name.endsWith("^{tree}") ? this.#tree(name.slice(0, -"^{tree}".length)) : this.#trees.get(name)!
  }

  /** Moves HEAD to the commit before, as `git reset --hard` does. The first commit stays. */
  back(): void {
    const { head } = this
    const parent = head === null ? undefined : this.#commits.get(head)?.parents[0]
    if (parent !== undefined) this.#branches.set(this.#branch, parent)
    this.tidy()
  }

  /** Clears all uncommitted changes. */
  tidy(): void {
    for (const tree of this.linked.values()) tree.tidy()
    this.changed.clear()
    this.conflicts.clear()
  }

  #tree(id: string | null): Tree {
    return id === null ? new Map() : this.#commits.get(id)!.tree
  }

  /** Commits that another one holds, newest first: a commit is newer than its parents. */
  #history(from: string | null): ReadonlyArray<string> {
    const found = new Set(from === null ? [] : [from])
    for (const id of found) for (const parent of this.#commits.get(id)!.parents) found.add(parent)
    return [...found].toSorted().toReversed()
  }

  /** Commits in the history of `of` (HEAD by default), and not in the history of `without`, oldest first. */
  range(without: string | null, of: string | null = this.head): ReadonlyArray<string> {
    const known = new Set(this.#history(without))
    return this.#history(of)
      .filter((id) => !known.has(id))
      .toReversed()
  }

  /** Files that differ between a commit and HEAD. */
  differences(base: string | null): ReadonlyArray<string> {
    const [before, after] = [this.#tree(base), this.#tree(this.head)]
    return [...new Set([...before.keys(), ...after.keys()])].filter((file) => before.get(file) !== after.get(file))
  }
}
