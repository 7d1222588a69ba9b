import type { Answer, Asked } from "./ModelTalk.ts"

/**
 * A tool of the agent, which writes the diary of the night: `begin`, `end` and the launch that did it. With `look` it
 * leaves a task that is done already. `pace`: tenths of a second.
 */
export const tool = (pace: number) => `#!/bin/sh
if [ "$2" = look ] && grep -q "^end $1 " diary; then echo "did task $1 before"; exit; fi
echo "begin $1 $SOUFFLEUR_LAUNCH_ID" >> diary || exit
sleep ${pace / 10}
echo "end $1 $SOUFFLEUR_LAUNCH_ID" >> diary || exit
echo "did task $1"
`

/** A tool that reads an export, and the one before it where that has no answer of the agent yet. */
export const recall = `#!/bin/sh
found=$(grep -o 'Done so far: [0-9, ]*\\.' "$1" | tail -n 1)
older=$(grep -o 'read it first: .*\\.md' "$1" | head -n 1 | cut -c 16-)
[ -z "$found" ] && [ -n "$older" ] && exec "$0" "$older"
echo "$found That was it."
`

const numbers = (text: string, pattern: RegExp): ReadonlyArray<number> =>
  [...text.matchAll(pattern)].flatMap(([, found = ""]) => found.split(", ").map(Number))

/** The tasks that the model knows to be done: it says them in each answer, and a tool tells it the newest. */
const doneIn = ({ known, toolResult = "" }: Asked): ReadonlySet<number> =>
  new Set([
    ...numbers(`${known}\n${toolResult}`, /Done so far: ((?:\d+, )*\d+)\./gu),
    ...numbers(toolResult, /did task (\d+)/gu),
    ...numbers(toolResult, /end (\d+) /gu)
  ])

/** The task that the model has to do now; `undefined`: all are done. */
export const nextOf = (asked: Asked, tasks: number): number | undefined => {
  const done = doneIn(asked)
  return Array.from({ length: tasks }, (_, n) => n + 1).find((task) => !done.has(task))
}

/**
 * The agent's own rule: each task once, in its order. It knows from its conversation what is done, and does that never
 * again. A tool that a death cut off may have done its work or not, so the first task after a prompt is looked for
 * before it is done.
 */
export const answerOf = (asked: Asked, tasks: number): Answer => {
  const { known, said, toolResult = "" } = asked
  const next = nextOf(asked, tasks)
  const done = [...doneIn(asked)].toSorted((one, other) => one - other).join(", ")
  const text = done === "" ? "I begin." : `Done so far: ${done}.`
  const [, exported] = /read it first: (.*\.md)/u.exec(known) ?? []
  const hasRead = known.includes("I have read it.") || toolResult.includes("That was it.")
  if (/Your task is to create a detailed summary|next LLM seamlessly continue/u.test(said)) return { text }
  if (exported !== undefined && !hasRead) return { text, shell: `./recall '${exported}'` }
  if (known.includes("look at the project before you do any of it again") && !hasRead)
    return { text, shell: "cat diary; echo That was it." }
  const [isBack, isSure] = [known.includes("Hand-off "), /did task \d/u.test(toolResult)]
  const words = hasRead ? `${text} I have read it.` : text
  if (next !== undefined) return { text: words, shell: `./work ${next}${isBack && !isSure ? " look" : ""}` }
  if (isBack && !isSure && !toolResult.includes("checked")) return { text: words, shell: "cat diary; echo checked" }
  return { text: `${words} All is complete.` }
}
