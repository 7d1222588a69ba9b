import type { Run, RunEvent } from "@souffleur/plan"
import type { SimMachine } from "../SimMachine.ts"
import type { Repository } from "./Repository.ts"
import type { RunLedger } from "./RunLedger.ts"

/** The part of a world that what souffleur does to branches is judged by. */
export interface BranchedWorld extends SimMachine {
  readonly ledger: RunLedger
  readonly repository: Repository
  readonly zombies: boolean
}

/** How the branch of each task begins. */
const ofTask = "souffleur-task/"
const treesIn = (runs: ReadonlyArray<Run>) =>
  runs.flatMap(({ tasks, trees }) => [...trees, ...tasks.flatMap(({ tree }) => tree ?? [])])

const approvedIn = ({ tasks }: Run) => tasks.flatMap(({ skipped, work }) => (skipped ? [] : work.commits))
/** Commits that may get along: approved ones, and those that come to nothing. */
const allowedIn = (run: Run) => [...approvedIn(run), ...run.takenBack]

/** Judges what souffleur does to branches: no approved commit is lost, none is merged twice, and no other gets along. */
export class BranchJudge {
  readonly #world: BranchedWorld
  /** How often a person had moved git when the branch of each run was chosen, and when each merge was made. */
  readonly #chosen = new Map<string, number>()
  readonly #merged = new Map<string, number>()

  constructor(world: BranchedWorld) {
    this.#world = world
  }

  /** Checks a move of a branch by souffleur, before it is done. `from`: its commit before; `null`: it is made. */
  moves(branch: string, from: string | null, to: string): void {
    const { ledger, repository, zombies } = this.#world
    const wrong = (what: string) => void this.#world.violated(`branch ${branch} is moved: ${what}`)
    if (from !== null && repository.range(to, from).length > 0) wrong("it loses commits")
    if (zombies) return
    const runs = [...ledger.runs.values()]
    const own = [...ledger.runs].find(([, { ownBranch }]) => ownBranch?.branch === branch && !ownBranch.begun)
    if (own !== undefined) {
      // A person may commit in the moment between its look at HEAD and this.
      if (to !== repository.head && this.#chosen.get(own[0]) === repository.moved) wrong("it does not begin from HEAD")
      return
    }
    // A tree that is gone, with its branch, is made again from where it began.
    if (branch.startsWith(ofTask)) {
      const tree = treesIn(runs).find((one) => one.branch === branch)
      if (from !== null || tree?.base !== to) wrong("no task is to have it")
      return
    }
    const run = runs.find(({ ownBranch, phase }) => ownBranch?.from === branch && phase === "completion")
    if (run?.ownBranch === undefined || run.ownBranch === null || from === null)
      return wrong("no run ends by a merge into it")
    const work = repository.commitOf(run.ownBranch.branch)
    if (work === null || repository.range(from, work).length === 0) wrong("it has the work already")
    else if (repository.range(to, work).length > 0) wrong("it lacks some of the work")
    const approved = new Set(allowedIn(run))
    const others = repository
      .range(from, to)
      .filter((id) => !approved.has(id) && !(id === to && repository.isMerge(id)))
    if (others.length > 0 && !run.finishingRetried) wrong(`nobody approved ${others.join(", ")}`)
    this.#merged.set(run.ownBranch.branch, repository.moved)
  }

  /** Checks, before it is done, that what lands is the approved work of one task, or takes commits back. */
  lands(to: string): void {
    const { ledger, repository, zombies } = this.#world
    if (zombies) return
    const runs = [...ledger.runs.values()]
    const landing = runs.flatMap(({ tasks }) => tasks).find(({ tree }) => tree?.landing?.to === to)
    if (landing?.tree == null) {
      if (runs.every(({ reverting }) => reverting?.to !== to)) this.#world.violated(`nothing is to land as ${to}`)
      return
    }
    const allowed = new Set([...landing.work.commits, ...(landing.tree.landing?.made ?? [])])
    const others = repository.range(repository.head, to).filter((id) => !allowed.has(id))
    // What a person took out of HEAD since the tree began comes back with it.
    if (others.length > 0 && repository.moved === 0)
      this.#world.violated(`with ${landing.id} lands ${others.join(", ")}, which nobody approved`)
  }

  /** Checks, before it is done, that nothing of the branch of a task is lost with it. */
  removes(branch: string): void {
    const { repository, zombies } = this.#world
    if (!branch.startsWith(ofTask)) this.#world.violated(`branch ${branch} is removed`)
    const lost = repository.range(repository.head, repository.commitOf(branch))
    if (lost.length > 0 && repository.moved === 0 && !zombies)
      this.#world.violated(`branch ${branch} is removed with ${lost.join(", ")}, which did not land`)
  }

  record(stream: string, before: Run, event: RunEvent): void {
    const { repository, zombies } = this.#world
    const held = (so: boolean, what: string) => void (so || zombies || this.#world.violated(`${event._tag}: ${what}`))
    const isMoved = this.#chosen.get(stream) !== repository.moved
    switch (event._tag) {
      case "BranchChosen":
        this.#chosen.set(stream, repository.moved)
        return held(
          before.tasks.every(({ begun }) => !begun),
          "a task has begun"
        )
      case "BranchBegun":
        held(isMoved || repository.branch === event.branch, "another branch is checked out")
        return held(isMoved || repository.head === event.base, "it begins elsewhere")
      case "TaskStarted":
        held(
          before.agreed.branch === null || before.tasks.some(({ begun }) => begun) || before.ownBranch?.begun === true,
          "its run has no branch"
        )
        return held(before.branch === undefined || event.branch === before.branch, "it begins on another branch")
      case "TaskCompleted": {
        const there = new Set(repository.range(null))
        if (new Set(event.commits).size !== event.commits.length) held(false, "a commit is there twice")
        return held(repository.moved > 0 || event.commits.every((id) => there.has(id)), "HEAD lacks its commits")
      }
      case "RunFinished": {
        if (event.delivered?._tag !== "Merged") return
        // A person may have moved the branch since.
        const since = this.#merged.get(before.ownBranch?.branch ?? "") !== repository.moved
        const there = new Set(repository.range(null, repository.commitOf(event.delivered.into)))
        return held(since || approvedIn(before).every((id) => there.has(id)), "the branch lacks approved work")
      }
      default:
    }
  }

  /** Checks, long after, that a run that nobody disturbed by hand made one branch. */
  ended(run: Run): void {
    const { repository } = this.#world
    const { ownBranch, tasks, trees, workflowId } = run
    const known = new Set(treesIn([run]).map(({ folder }) => folder))
    const strays = [...repository.linked.keys()].filter(
      (folder) => folder.includes(`-${workflowId}/`) && !known.has(folder)
    )
    if (strays.length > 0 && !this.#world.zombies) this.#world.violated(`no task has the trees ${strays.join(", ")}`)
    if (trees.some(({ kept }) => kept === null)) this.#world.violated("a tree is left to be removed")
    // A person has taken nothing out of it, and each commit is of a task that was approved, or comes to nothing.
    const [first] = tasks.flatMap(({ base, final }) => (base === null || final === true ? [] : [base]))
    const approved = new Set(allowedIn(run))
    if (
      run.agreed.worktrees === true &&
      repository.moved === 0 &&
      first !== undefined &&
      this.#world.ledger.runs.size === 1
    ) {
      const others = repository
        .range(run.firstBase ?? null, repository.commitOf(run.branch ?? "main"))
        .filter((id) => !approved.has(id))
      if (others.length > 0 && run.finishing !== "done")
        this.#world.violated(`HEAD has ${others.join(", ")}, which nobody approved`)
    }
    const made = [...repository.branches.keys()].filter((name) => name.startsWith(`souffleur/${workflowId}`))
    if (repository.moved === 0 && made.length > 1) this.#world.violated(`${workflowId} has branches ${made.join(", ")}`)
    if (ownBranch?.begun === true && repository.moved === 0 && repository.commitOf(ownBranch.branch) === null)
      this.#world.violated(`branch ${ownBranch.branch} is gone`)
  }
}
