import { freeSpace } from "@souffleur/node"
import { programLines } from "@souffleur/plan"
import { Effect, Runtime, Schema } from "effect"
import { enough, existingFolder } from "../doctor/DiskCheck.ts"
import { remark } from "../Remark.ts"
import { agentOfProgram, agentProgram } from "../setup/InstalledAgents.ts"
import { Installation } from "../world/Installation.ts"
import { loginReady, rulesReady, runsKind } from "./AgentReady.ts"
import { branchReady, identityReady, pushReady } from "./GitReady.ts"
import {
  failedCheck,
  readyCheck,
  type PreflightCheck,
  type PreflightOrder,
  type RulesAsk,
  unknownCheck
} from "./PreflightCheck.ts"

/** What a new run needs is missing. Nothing was begun (exit code 2; spec: behaviour#preflight). */
export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", {
  plan: Schema.String,
  /** What is surely wrong, and what mends it. */
  problems: Schema.NonEmptyArray(
    Schema.Struct({ check: Schema.String, detail: Schema.String, todo: Schema.NullOr(Schema.String) })
  )
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.plan} is not begun: ${this.problems.map(({ detail, todo }) => `${detail}${todo === null ? "" : `: ${todo}`}`).join("; ")}`
  }
}

/** A folder, and the bytes that are free there; `undefined`: unknown. */
type Room = readonly [folder: string, free: number | undefined]

/** Says whether the state folder has room for events, and the project for commits. */
export const roomReady = ([state, inState]: Room, [project, inProject]: Room): PreflightCheck => {
  if (inState === undefined || inProject === undefined) return unknownCheck("disk", "how much is free is not known")
  const least = Math.min(inState, inProject)
  const size = least < 1e9 ? `${Math.floor(least / 1e6)} MB` : `${Math.floor(least / 1e9)} GB`
  if (least >= enough) return readyCheck("disk", `${size} are free`)
  const [folder, what] = inState < enough ? [state, "no event is written"] : [project, "nothing is committed"]
  return failedCheck("disk", `${size} are free for ${folder}: without room ${what}`, "make room on that disk", {
    refuses: true
  })
}

const roomOf = Effect.fnUntraced(function* (folder: string) {
  return [folder, yield* freeSpace(yield* existingFolder(folder))] as const
})

/** Drafts the rules that are missing, and writes them by a person's yes. Returns whether they are there. */
const offered = Effect.fnUntraced(function* (
  { cast, project }: PreflightOrder,
  rules: ReadonlyArray<string>,
  ask: RulesAsk
) {
  const { agent } = yield* Installation
  const implementers = cast.filter(({ role }) => role === "implementer")
  const commits = implementers.flatMap((one) => agentOfProgram(agent, one.agent).commits ?? []).at(0)
  if (commits === undefined || rules.length === 0) return false
  return yield* Effect.gen(function* () {
    const draft = yield* commits.allow(project, rules)
    if (!(yield* ask(draft))) return false
    yield* draft.write
    return true
  }).pipe(
    Effect.catch((error) =>
      Effect.as(remark("warning", `no rule is written: ${"problem" in error ? error.problem : error.message}`), false)
    )
  )
})

/**
 * Looks once, and at everything at once, at what a run needs before its first agent (spec: behaviour#preflight). It
 * runs git and the agents' own programs, never those of the plan. `ask`: takes a person's word on missing rules.
 */
export const preflightOf = Effect.fn("preflightOf")(function* (order: PreflightOrder, ask: RulesAsk | null = null) {
  const { cast, isNew, plan, project, settings, trusted } = order
  const { agent } = yield* Installation
  const implementer = cast.find(({ role }) => role === "implementer")
  const rules = Effect.map(
    Effect.forEach(
      // One agent may have two models.
      [...new Map(cast.flatMap((one) => (one.role === "implementer" ? [[one.agent, one] as const] : []))).values()],
      ({ agent: named, command: { args, program }, permission }) => {
        const place = { project, permission, words: [program, ...args] }
        return rulesReady({ kind: agentOfProgram(agent, named), settings, place }, programLines(plan))
      }
    ),
    (all) => all.flat()
  )
  const identity = Effect.suspend(() => {
    if (implementer === undefined) return Effect.succeed<ReadonlyArray<PreflightCheck>>([])
    const { args, environment, program } = implementer.command
    const known = runsKind(agentOfProgram(agent, implementer.agent), [program, ...args])
    return Effect.map(identityReady(project, { environment, known }), (one) => [one])
  })
  const logins = Effect.forEach(
    new Set(cast.map(({ agent }) => agent)),
    (program) => {
      const own = agentProgram(agent, settings)
      const kind = agentOfProgram(agent, program)
      const isConfigured = agentOfProgram(agent, own).program === kind.program
      return loginReady(isConfigured ? settings : { ...settings, agentCommand: kind.program }, kind, project)
    },
    { concurrency: "unbounded" }
  )
  const looked = yield* Effect.all(
    [
      identity,
      // A run that goes on is on its branch.
      isNew ? Effect.map(branchReady(project, plan), (one) => [one]) : Effect.succeed([]),
      pushReady(project, settings, { plan, trusted }),
      rules,
      logins,
      Effect.map(Effect.all([roomOf(settings.stateDir), roomOf(project)]), (rooms) => [roomReady(...rooms)])
    ],
    { concurrency: "unbounded" }
  )
  const missing = looked[3].filter(({ standing }) => standing === "not ok")
  const isAsked = ask !== null && (isNew || missing.some(({ refuses }) => refuses === true))
  const lines = [...new Set(missing.flatMap(({ rules = [] }) => rules))]
  if (isAsked && (yield* offered(order, lines, ask))) looked[3] = yield* rules
  return looked.flat()
})

/** Refuses a new run that surely fails, and warns of all else that is not ok. */
export const refuseUnready = Effect.fn("refuseUnready")(function* (
  plan: string,
  isNew: boolean,
  checks: ReadonlyArray<PreflightCheck>
) {
  const failed = checks.filter(({ standing }) => standing === "not ok")
  const [first, ...others] = failed.filter(({ refuses }) => refuses === true && isNew)
  if (first !== undefined) return yield* new NotReady({ plan, problems: [first, ...others] })
  yield* Effect.forEach(failed, ({ detail, todo }) => remark("warning", todo === null ? detail : `${detail}: ${todo}`))
})
