import { Text } from "@souffleur/eventlog"
import { Schema } from "effect"
import type { AgentCommand } from "../port/AgentOrder.ts"
import type { Variables } from "../port/AgentKind.ts"
import type { Spent } from "../port/AgentSession.ts"

/**
 * The kinds of caps that an agent takes from its user: US dollars, answers of the model, calls of tools, the service's
 * own credits, and ms on the clock.
 */
export const CapKind = Schema.Literals(["dollars", "turns", "calls", "credits", "time"])
export type CapKind = typeof CapKind.Type

/** What a ceiling of use, a limit of a job or a cap may bound. */
export const CeilingKind = Schema.Literals(["tokens", ...CapKind.literals])
export type CeilingKind = typeof CeilingKind.Type

/**
 * How much the user lets the agent use at most, by the agent's own flag or variable, whose name `flag` is. A resumed
 * process would begin it anew. `limit` is in dollars, in ms, or a count.
 */
export const Cap = Schema.Struct({ kind: CapKind, flag: Text, limit: Schema.Finite })
export type Cap = typeof Cap.Type

/** The flags and the variables by which an agent takes caps, each with its kind. */
export interface CapNames {
  readonly flags: Readonly<Record<string, CapKind>>
  readonly variables?: Readonly<Record<string, CapKind>>
}

/** The use of a watch, as its caps measure it. */
export type CapUse = Readonly<Record<CapKind, number>>

/** Returns the use of sessions since a moment until now (epoch ms). */
export const capUse = (spent: Spent, since: number, now: number): CapUse => ({
  ...spent,
  time: Math.max(0, now - since)
})

/** The least that an agent takes as a cap. Copilot CLI takes no less than 30 credits, and Qwen Code than a second. */
const least: CapUse = { dollars: 0.01, turns: 1, calls: 1, credits: 30, time: 1000 }

/** Returns the place of a flag's value in these words: a word of its own, or the end of the flag's word. */
const valueIn = (
  args: ReadonlyArray<string>,
  flag: string
): { readonly at: number; readonly begins: string } | undefined => {
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const at = args.findLastIndex((word, index) => index < end && (word === flag || word.startsWith(`${flag}=`)))
  if (at === -1) return undefined
  return args[at] === flag ? { at: at + 1, begins: "" } : { at, begins: `${flag}=` }
}

const unitMillis = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const hasUnit = Schema.is(Schema.Literals(["ms", "s", "m", "h"]))

/** Reads the amount of a cap. A time is a number of seconds, or has a unit behind it. */
const amountIn = (kind: CapKind, text: string | undefined): number => {
  if (kind !== "time") return Number(text)
  const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)\s*([a-z]+)?$/u.exec((text ?? "").trim().toLowerCase()) ?? []
  return hasUnit(unit) ? Number(amount) * unitMillis[unit] : NaN
}

/** Reads the caps in the arguments of an agent, by the kinds of its flags. Only a positive number is a cap. */
export const capsIn = (args: ReadonlyArray<string>, flags: Readonly<Record<string, CapKind>>): ReadonlyArray<Cap> =>
  Object.entries(flags).flatMap(([flag, kind]) => {
    const place = valueIn(args, flag)
    const limit = amountIn(kind, place === undefined ? undefined : args[place.at]?.slice(place.begins.length))
    return limit > 0 && Number.isFinite(limit) ? [{ kind, flag, limit }] : []
  })

/**
 * Reads the caps in the environment of an agent, by the kinds of its variables, beside those in its arguments: a flag
 * outranks the variable of its kind.
 */
export const capsOfVariables = (
  environment: Variables,
  variables: Readonly<Record<string, CapKind>>,
  byFlag: ReadonlyArray<Cap>
): ReadonlyArray<Cap> =>
  Object.entries(variables).flatMap(([flag, kind]) => {
    const limit = amountIn(kind, environment[flag]?.trim())
    return limit > 0 && Number.isFinite(limit) && !byFlag.some((cap) => cap.kind === kind)
      ? [{ kind, flag, limit }]
      : []
  })

/** Reads the caps that an agent is given by its arguments and its environment. */
export const capsGiven = (
  args: ReadonlyArray<string>,
  environment: Variables,
  { flags, variables = {} }: CapNames
): ReadonlyArray<Cap> => {
  const byFlag = capsIn(args, flags)
  return [...byFlag, ...capsOfVariables(environment, variables, byFlag)]
}

/**
 * Returns the caps of a watch: those that its agent has by the command of its launches, and those that were found on a
 * process of the user's own, if this agent takes them. The lowest of each kind comes last.
 */
export const capsOf = (
  { caps: found }: { readonly caps: ReadonlyArray<Cap> },
  { capNames, caps = [] }: { readonly capNames?: CapNames; readonly caps?: ReadonlyArray<Cap> }
): ReadonlyArray<Cap> => {
  const names = { ...capNames?.flags, ...capNames?.variables }
  const its = found.filter(({ flag }) => Object.hasOwn(names, flag))
  return its.length === 0 ? caps : [...caps, ...its].toSorted((first, second) => second.limit - first.limit)
}

/** Returns a launch that is given what is left of each cap (spec: behaviour#caps-of-the-user). */
export const withRemainder = (command: AgentCommand, caps: ReadonlyArray<Cap>, used: CapUse): AgentCommand => {
  const args = [...command.args]
  const environment = { ...command.environment }
  for (const { flag, kind, limit } of caps) {
    const place = valueIn(args, flag)
    const left = Math.max(least[kind], limit - used[kind])
    const text = String(kind === "time" ? Math.floor(left / 1000) : Number(left.toFixed(4)))
    if (place !== undefined) args[place.at] = `${place.begins}${text}`
    else if (!flag.startsWith("-")) environment[flag] = text
    // A flag of a process of the user's own, which the command of a launch does not have.
    else args.splice(args.includes("--") ? args.indexOf("--") : args.length, 0, `${flag}=${text}`)
  }
  return { ...command, args, environment }
}

/** Returns the first cap that is used up: the agent would take no launch with what is left of it. */
export const usedUp = (caps: ReadonlyArray<Cap>, used: CapUse): Cap | undefined =>
  caps.find(({ kind, limit }) => limit - used[kind] < Math.min(limit, least[kind]))

/** Returns an amount as the log has it: dollars are hundredths there. */
export const loggedAmount = (kind: CapKind, amount: number): number =>
  Math.round(kind === "dollars" ? amount * 100 : amount)
