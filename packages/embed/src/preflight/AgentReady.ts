import { clamp, leastPermission, lower, type Permission, type ResolvedSettings } from "@souffleur/domain"
import type { AgentPackage, CommitPlace } from "@souffleur/process"
import { commitAt } from "@souffleur/supervisor"
import { Effect, Option } from "effect"
import { loginHere } from "../setup/InstalledAgents.ts"
import { agentDirOf } from "../world/AgentLayers.ts"
import { Installation } from "../world/Installation.ts"
import { layerHost } from "../world/StoreLayers.ts"
import { layerAgentAndLogin } from "../world/World.ts"
import { failedCheck, readyCheck, type PreflightCheck, unknownCheck } from "./PreflightCheck.ts"

/** An agent that is to commit: its kind, the settings, and its place without what these say. */
interface Committing {
  readonly kind: AgentPackage
  readonly settings: ResolvedSettings
  readonly place: Pick<CommitPlace, "permission" | "project" | "words">
}

/** Returns whether words run an agent of that kind. */
export const runsKind = ({ owns }: AgentPackage, words: ReadonlyArray<string>): boolean =>
  words.some((word) => owns([word]))

const judged = Effect.fnUntraced(function* ({ kind, place, settings }: Committing, programs: ReadonlyArray<string>) {
  if (kind.commits === undefined) return null
  const { variables } = yield* Installation
  return yield* kind.commits.judge({ ...place, variables, agentDir: yield* agentDirOf(kind, settings) }, programs)
})

/** Says whether an agent may commit by its permission, and run the programs of a gate, each as it would type it. */
export const rulesReady = Effect.fn("rulesReady")(function* (
  committing: Committing,
  programs: ReadonlyArray<string> = []
) {
  const { kind, place } = committing
  const { title } = kind
  const said = yield* judged(committing, programs)
  const isKnown = runsKind(kind, place.words)
  const unless = said === null ? (isKnown ? undefined : "it is no program that souffleur knows") : said.unless
  const row = (
    check: "commits" | "gate",
    what: string,
    problem: NonNullable<typeof said>["commit"]
  ): PreflightCheck => {
    if (problem === null)
      return unless === undefined
        ? readyCheck(check, `${title} may ${what} with ${place.permission}`)
        : unknownCheck(check, `whether the agent may ${what} is not known: ${unless}`)
    const { detail, rules, todo } = problem
    if (unless !== undefined) return unknownCheck(check, `${detail}, but ${unless}`, todo)
    // souffleur runs the gate itself, so that an agent which cannot only works blindly.
    return failedCheck(check, detail, todo, { rules, ...(check === "commits" ? { refuses: true } : {}) })
  }
  return [
    row("commits", "commit", said?.commit ?? null),
    ...(programs.length === 0 ? [] : [row("gate", `run ${programs.join(", ")}`, said?.programs ?? null)])
  ]
})

/** Returns whether a rule of its own is missing for an agent to commit in a project that is a git repository. */
export const commitsMendable = Effect.fn("commitsMendable")(function* (
  kind: AgentPackage,
  settings: ResolvedSettings,
  place: Committing["place"]
) {
  const commit = yield* Effect.orElseSucceed(commitAt(place.project), () => "")
  return commit !== "" && ((yield* judged({ kind, settings, place }, []))?.commit?.rules ?? []).length > 0
})

/** Says whether the agent of a usual start may commit, by the highest permission that a launch may have. */
export const commitsReady = Effect.fn("commitsReady")(function* ({
  kind,
  place: { project, words },
  settings
}: Omit<Committing, "place"> & { readonly place: Omit<Committing["place"], "permission"> }) {
  const { commitSetting, commitsFrom = leastPermission } = kind
  const ceiling: Permission = settings.maxExternalPermission
  if (lower(ceiling, commitsFrom) !== commitsFrom)
    return failedCheck("commits", commitSetting, `souffleur setup --permission ${commitsFrom}`)
  const place = { project, words, permission: clamp(commitsFrom, ceiling) }
  const [check] = yield* rulesReady({ kind, settings, place })
  return check!
})

/** How long an agent may think about its login. */
const loginWithin = "10 seconds"

/** Says whether somebody is logged in to an agent, where that can be known. `settings`: with the agent's command. */
export const loginReady = Effect.fn("loginReady")(function* (
  settings: ResolvedSettings,
  kind: AgentPackage,
  project: string
) {
  const { commits, login, program, title } = kind
  const isIn = yield* loginHere.pipe(
    Effect.provide(layerAgentAndLogin(settings)),
    Effect.provide(layerHost),
    Effect.timeoutOption(loginWithin),
    Effect.map(Option.flatten),
    Effect.orElseSucceed(() => Option.none<boolean>())
  )
  if (Option.isNone(isIn)) return unknownCheck("login", `${title} does not say whether anybody is logged in`)
  if (isIn.value) return readyCheck("login", `${title} is logged in`)
  const agentDir = yield* agentDirOf(kind, settings)
  // It is asked outside of the project. Of other agents it is not known where a key may come from.
  const sure = commits !== undefined && !(yield* commits.ownKey({ agentDir, project }))
  return failedCheck(
    "login",
    `${title} says that nobody is logged in`,
    login?.todo ?? program,
    sure ? { refuses: true } : {}
  )
})
