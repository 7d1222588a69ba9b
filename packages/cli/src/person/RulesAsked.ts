import { RulesQuestion } from "@souffleur/embed/internal"
import type { SettingsDraft } from "@souffleur/process"
import { Console, Effect } from "effect"
import { Environment } from "../world/CommandEnvironment.ts"
import { printLines } from "../Printing.ts"
import { confirmed } from "./TrustQuestion.ts"

/** Lines that are shown around a change. */
const around = 2

const linesOf = (text: string) => (text === "" ? [] : text.trimEnd().split("\n"))

/** Returns the lines that a draft changes, as `diff` draws them. A draft only adds, so that they are in one place. */
export const changedLines = ({ after, before }: Pick<SettingsDraft, "after" | "before">): ReadonlyArray<string> => {
  const [old, now] = [linesOf(before), linesOf(after)]
  const most = Math.min(old.length, now.length)
  let head = 0
  while (head < most && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const marked = (mark: string, lines: ReadonlyArray<string>) => lines.map((line) => `${mark} ${line}`)
  const end = now.length - tail
  return [
    ...marked(" ", now.slice(Math.max(0, head - around), head)),
    ...marked("-", old.slice(head, old.length - tail)),
    ...marked("+", now.slice(head, end)),
    ...marked(" ", now.slice(end, end + around))
  ]
}

/**
 * Has a person asked at a terminal before rules are written into an agent's settings (spec: behaviour#preflight).
 * Elsewhere nothing is written.
 */
export const askingForRules = Effect.fnUntraced(function* <A, E, R>(isPerson: boolean, does: Effect.Effect<A, E, R>) {
  const { interactive } = yield* Environment
  if (!interactive || !isPerson) return yield* does
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof confirmed>>>()
  const ask = Effect.fn("askingForRules.ask")(function* (draft: SettingsDraft) {
    yield* Console.error(`The agent lacks rules of its own in ${draft.path}:`)
    yield* printLines(changedLines(draft).join("\n"), "error")
    return yield* Effect.provideContext(confirmed("Write them, so that it may run this without a question?"), context)
  })
  return yield* Effect.provideService(does, RulesQuestion, (draft) => Effect.orElseSucceed(ask(draft), () => false))
})
