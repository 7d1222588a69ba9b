import { strikes, type Target } from "../Faults.ts"

/** Every effect of a conducting souffleur on its world. */
export const runBoundaries = [
  "agent.command",
  "agent.sessions",
  "agent.sessionOf",
  "agent.signs",
  "agent.usedTools",
  "beats.beat",
  "claims.isDead",
  "comms.beat",
  "comms.post",
  "comms.setState",
  "comms.setTask",
  "gate.judge",
  "fs.open",
  "fs.read",
  "fs.rename",
  "fs.sync",
  "fs.write",
  "git cat-file --batch-check",
  "git cat-file commit",
  "git checkout --quiet",
  "git commit-tree",
  "git for-each-ref --format",
  "git merge --ff-only",
  "git merge-tree --write-tree",
  "git symbolic-ref -m",
  "git update-ref --create-reflog",
  "git update-ref -m",
  "git update-ref -d",
  "git worktree add",
  "git worktree list",
  "git worktree remove",
  "git diff --name-only",
  "git ls-tree -r",
  "git rev-list --reverse",
  "git rev-list --stdin",
  "git rev-parse --absolute-git-dir",
  "git rev-parse --show-prefix",
  "git rev-parse --show-toplevel",
  "git status --porcelain",
  "launcher.endOf",
  "launcher.launch: receipt",
  "launcher.launch: spawn",
  "launcher.prepare",
  "launcher: tombstone",
  "log.append",
  "log.read",
  "notify command",
  "cursor.advance",
  "cursor.position",
  "processes.condition",
  "processes.signal SIGKILL",
  "processes.signal SIGTERM",
  "processes.tree"
] as const

/** Every pair of an effect and a strike. Each is to be struck as often as any other. */
export const runTargets: ReadonlyArray<Target> = strikes.flatMap((how) =>
  runBoundaries.map((boundary) => ({ boundary, how }))
)

/**
 * Effects that happen again and again while an agent works. A strike at a later effect needs most of these to be
 * spared.
 */
export const frequentInRuns: ReadonlySet<string> = new Set([
  "processes.condition",
  "log.read",
  "log.append",
  "claims.isDead",
  "fs.read",
  "cursor.position"
])
