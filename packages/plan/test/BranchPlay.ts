import { Effect } from "effect"
import { approves } from "./PlanStage.ts"
import { type Play, say, theatre } from "./PlanTheatre.ts"

/** A theatre whose repository leaves souffleur's own files out, as souffleur itself has it. */
export const excluding = (...of: Parameters<typeof theatre>) =>
  Effect.tap(theatre(...of), ({ git, write }) =>
    // A commit that souffleur makes is by whoever git says.
    Effect.all([
      write(".git/info/exclude", "state.json*\n"),
      git("config", "user.name", "A"),
      git("config", "user.email", "a@localhost")
    ])
  )

/** A theatre with agents that do their work. */
export const healthy = (options: NonNullable<Parameters<typeof theatre>[1]>) =>
  excluding(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }), options)

export const current = ({ git }: Play) => Effect.map(git("branch", "--show-current"), (text) => text.trim())
export const branchesOf = ({ git }: Play) =>
  Effect.map(git("for-each-ref", "--format=%(refname:short)", "refs/heads"), (text) => text.trim().split("\n"))
export const commitOf = ({ git }: Play, name: string) =>
  Effect.map(git("rev-parse", "--verify", `refs/heads/${name}`), (text) => text.trim())
