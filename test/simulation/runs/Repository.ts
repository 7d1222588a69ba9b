type Tree = ReadonlyMap<string, number>

interface Commit {
  readonly id: string
  readonly parent: string | null
  readonly tree: Tree
}

/** One git repository: commits with their trees, HEAD, and uncommitted files. */
export class Repository {
  readonly #commits = new Map<string, Commit>()
  #head: string | null = null
  #contents = 0
  readonly changed = new Set<string>()
  readonly conflicts = new Set<string>()
  /** How often a person moved HEAD. */
  moved = 0

  get head(): string | null {
    return this.#head
  }

  get isClean(): boolean {
    return this.changed.size === 0 && this.conflicts.size === 0
  }

  has(id: string): boolean {
    return this.#commits.has(id)
  }

  /** Makes a commit that changes these files. No files make an empty commit. */
  commit(files: ReadonlyArray<string>): string {
    const tree = new Map(this.#tree(this.#head))
    for (const file of files) tree.set(file, ++this.#contents)
    const id = (this.#commits.size + 1).toString(16).padStart(40, "0")
    this.#commits.set(id, { id, parent: this.#head, tree })
    this.#head = id
    return id
  }

  /** Makes a commit with a tree, which no branch has yet. */
  commitTree(tree: string, parent: string): string {
    const id = (this.#commits.size + 1).toString(16).padStart(40, "0")
    this.#commits.set(id, { id, parent, tree: this.#treeNamed(tree) })
    return id
  }

  /** Names a tree by its content. */
  treeId(tree: string): string {
    return JSON.stringify([...this.#treeNamed(tree)].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Returns the parent of a commit. */
  parentOf(id: string): string | null {
    return this.#commits.get(id)!.parent
  }

  /** Merges two commits with one parent; `undefined`: they conflict. */
  mergeTree(ours: string, theirs: string): string | undefined {
    const [mine, other] = [this.#tree(ours), this.#tree(theirs)]
    const before = this.#tree(this.parentOf(ours))
    const merged = new Map(mine)
    for (const file of new Set([...before.keys(), ...other.keys()])) {
      if (other.get(file) === before.get(file)) continue
      if (mine.get(file) !== before.get(file) && mine.get(file) !== other.get(file)) return undefined
      if (other.has(file)) merged.set(file, other.get(file)!)
      else merged.delete(file)
    }
    return JSON.stringify([...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Moves HEAD forward to a commit that comes after it. Returns whether it could. */
  forward(to: string): boolean {
    if (!this.isClean || !this.#history(to).includes(this.#head ?? to)) return false
    this.#head = to
    return true
  }

  /** A tree by its content, or the tree of a commit as `<id>^{tree}`. */
  #treeNamed(name: string): Tree {
    return name.endsWith("^{tree}") ? this.#tree(name.slice(0, -"^{tree}".length)) : new Map(JSON.parse(name) as never)
  }

  /** Moves HEAD to the commit before, as `git reset --hard` does. The first commit stays. */
  back(): void {
    this.#head = (this.#head === null ? undefined : this.#commits.get(this.#head)?.parent) ?? this.#head
    this.tidy()
  }

  /** Clears all uncommitted changes. */
  tidy(): void {
    this.changed.clear()
    this.conflicts.clear()
  }

  #tree(id: string | null): Tree {
    return id === null ? new Map() : this.#commits.get(id)!.tree
  }

  #history(from: string | null): ReadonlyArray<string> {
    const found: Array<string> = []
    for (let at = from; at !== null; at = this.#commits.get(at)!.parent) found.push(at)
    return found
  }

  /** Commits in the history of `of` (HEAD by default), and not in the history of `without`, oldest first. */
  range(without: string | null, of: string | null = this.#head): ReadonlyArray<string> {
    const known = new Set(this.#history(without))
    return this.#history(of)
      .filter((id) => !known.has(id))
      .toReversed()
  }

  /** Files that differ between a commit and HEAD. */
  differences(base: string | null): ReadonlyArray<string> {
    const [before, after] = [this.#tree(base), this.#tree(this.#head)]
    return [...new Set([...before.keys(), ...after.keys()])].filter((file) => before.get(file) !== after.get(file))
  }
}
