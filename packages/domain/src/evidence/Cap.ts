import { Schema } from "effect"
import type { AgentCommand } from "../port/AgentOrder.ts"
import type { Spent } from "../port/AgentSession.ts"

/** The kinds of caps that an agent takes from its user: US dollars, and calls of the model. */
export const CapKind = Schema.Literals(["dollars", "turns"])
export type CapKind = typeof CapKind.Type

/** How much the user lets the agent use at most, by the agent's own flag. A resumed process would begin it anew. */
export interface Cap {
  readonly kind: CapKind
  readonly flag: string
  readonly limit: number
}

/** The least that an agent takes as a cap. */
const least: Readonly<Record<CapKind, number>> = { dollars: 0.01, turns: 1 }

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

/** Reads the caps in the arguments of an agent, by the kinds of its flags. Only a positive number is a cap. */
export const capsIn = (args: ReadonlyArray<string>, flags: Readonly<Record<string, CapKind>>): ReadonlyArray<Cap> =>
  Object.entries(flags).flatMap(([flag, kind]) => {
    const place = valueIn(args, flag)
    const limit = Number(place === undefined ? undefined : args[place.at]?.slice(place.begins.length))
    return limit > 0 && Number.isFinite(limit) ? [{ kind, flag, limit }] : []
  })

/** Returns a launch that is given what is left of each cap (spec: behaviour#caps-of-the-user). */
export const withRemainder = (command: AgentCommand, caps: ReadonlyArray<Cap>, spent: Spent): AgentCommand => {
  const args = [...command.args]
  for (const { flag, kind, limit } of caps) {
    const place = valueIn(args, flag)
    const left = Math.max(least[kind], limit - spent[kind])
    if (place !== undefined) args[place.at] = `${place.begins}${Number(left.toFixed(4))}`
  }
  return { ...command, args }
}

/** Returns the first cap that is used up. */
export const usedUp = (caps: ReadonlyArray<Cap>, spent: Spent): Cap | undefined =>
  caps.find(({ kind, limit }) => spent[kind] >= limit)
