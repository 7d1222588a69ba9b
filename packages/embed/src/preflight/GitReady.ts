import type { ResolvedSettings } from "@souffleur/domain"
import { Settings } from "@souffleur/domain"
import { branchName, gitIn, GitPort, hostPullRequests, isNamed, type Plan } from "@souffleur/plan"
import { Effect, Result } from "effect"
import { defaultBranchNote, defaultBranchOut } from "../conducting/DefaultBranch.ts"
import { failedCheck, readyCheck, unknownCheck } from "./PreflightCheck.ts"

/** How long git may think about one question. A project on a disk that hangs is not waited for. */
const within = "10 seconds"
const silent = (check: string) => () => Effect.succeed(unknownCheck(check, `git does not answer within ${within}`))

/** How git says that it knows no name or no address, in English. */
const nameless = /tell me who you are|ident(?:ity)? (?:name|unknown)|email|auto-detect/iu

/**
 * Says in whose name an agent with this environment commits. `known`: it is an agent that souffleur knows, and so has
 * no name of its own.
 */
export const identityReady = Effect.fn("identityReady")(function* (
  project: string,
  { environment, known }: { readonly environment: Readonly<Record<string, string>>; readonly known: boolean }
) {
  const { git } = yield* gitIn(project, { within })
  const asked = Effect.all(
    (["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] as const).map((name) =>
      git(["var", name], "", { ...environment, LC_ALL: "C" })
    ),
    { concurrency: 2 }
  )
  return yield* Effect.match(asked, {
    onSuccess: ([author = ""]) => readyCheck("identity", `git commits as ${author.replace(/ \d+ [+-]\d+\s*$/u, "")}`),
    onFailure: ({ message }) => {
      const todo = 'git config user.name "Your Name" && git config user.email you@example.com'
      if (!nameless.test(message)) return unknownCheck("identity", `git does not say who commits: ${message}`)
      return known
        ? failedCheck("identity", "git does not know who commits here, and refuses each commit", todo, {
            refuses: true
          })
        : unknownCheck("identity", "git does not know who commits here, unless the agent says it", todo)
    }
  })
})

/** Says which branch the commits of a new run go to. */
export const branchReady = Effect.fn("branchReady")(
  function* (project: string, { branch, finish }: Plan) {
    const opened = yield* Effect.result((yield* GitPort).open(project, () => []))
    if (Result.isFailure(opened)) return failedCheck("branch", opened.failure.problem, "git init && git commit", {})
    const git = opened.success
    const status = yield* Effect.result(git.status)
    if (Result.isFailure(status)) return unknownCheck("branch", status.failure.problem)
    const at = status.success.branch
    if (branch === undefined) {
      if (at === null)
        return failedCheck("branch", "no branch is checked out, and so the commits go to none", "git switch -c NAME")
      const onto = yield* defaultBranchOut(git)
      return readyCheck("branch", onto === null ? `its commits go to ${at}` : defaultBranchNote(onto))
    }
    if (finish._tag === "Merge" && (at === null || isNamed(branch, at)))
      return failedCheck(
        "branch",
        `${at ?? "no branch"} is checked out, and finish: merge merges into the branch that the run begins from`,
        "git switch to the branch that the work is merged into",
        { refuses: true }
      )
    return readyCheck(
      "branch",
      isNamed(branch, at)
        ? `its commits go to ${at}`
        : `its commits go to ${branch === "auto" ? "a branch of its own" : `branch ${branch}`}, made from ${at ?? "HEAD"}`
    )
  },
  Effect.timeoutOrElse({ duration: within, orElse: silent("branch") })
)

/**
 * Tries the push at the end of a run, up to the answer of the remote: nothing is sent. `trusted`: a person trusts what
 * the plan does outside, since agents can write the address.
 */
export const pushReady = Effect.fn("pushReady")(function* (
  project: string,
  settings: ResolvedSettings,
  { plan, trusted }: { readonly plan: Plan; readonly trusted: boolean }
) {
  if (plan.finish._tag !== "PullRequest" || plan.branch === undefined) return []
  if (!trusted)
    return [
      unknownCheck(
        "push",
        "the remote is not asked before a person trusts this plan",
        "souffleur conduct plan PLAN --trust"
      )
    ]
  const opened = yield* Effect.result((yield* GitPort).open(project, () => []))
  if (Result.isFailure(opened)) return []
  const { branches, head } = opened.success
  const asked = yield* Effect.result(Effect.all([branches.remote, head]))
  if (Result.isFailure(asked)) return [unknownCheck("push", asked.failure.problem)]
  const [remote, commit] = asked.success
  if (remote === undefined)
    return [
      failedCheck(
        "push",
        "git has no remote origin with one address, and no other one alone",
        "git remote add origin ADDRESS, or another finish in the plan",
        { refuses: true }
      )
    ]
  if (commit === null) return [unknownCheck("push", "there is no commit yet that could be pushed")]
  const branch = branchName(plan.branch, plan.workflowId)
  const { tryPush } = yield* Effect.provideService(hostPullRequests(project), Settings, settings)
  const tried = yield* tryPush({ branch, commit, remote })
  const say = `${remote.name} would take ${branch}`
  if (tried === null) return [readyCheck("push", say)]
  return [
    tried.sure
      ? failedCheck(
          "push",
          tried.problem,
          `git push --dry-run ${remote.name} HEAD:refs/heads/${branch}, until it succeeds`,
          {
            refuses: true
          }
        )
      : unknownCheck("push", `whether ${say} is not known: ${tried.problem}`)
  ]
})
