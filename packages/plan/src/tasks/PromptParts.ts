import { programLine } from "./PlanGates.ts"
import type { PlanGate, PlannedTask } from "./PlannedTask.ts"

/* What the prompts of implementers and reviewers share. */

/** Returns what the plan tells of a task. */
export const taskDetails = ({
  acceptanceCriteria,
  constraints,
  description,
  id,
  title
}: PlannedTask) => `**Task ID:** ${id}
**Title:** ${title}
**Description:**
${description}

**Acceptance Criteria:**
${acceptanceCriteria}${constraints === undefined ? "" : `\n\n**Constraints of the whole plan:**\n${constraints}`}`

/** Returns the documents that an agent reads first. */
export const references = ({ referenceDocs }: PlannedTask, doing: "implementing" | "reviewing") =>
  referenceDocs.length === 0
    ? ""
    : `### Reference Documents

Review these documents before ${doing}:

${referenceDocs.map(({ description, path }) => `- \`${path}\`: ${description}`).join("\n")}

`

/** Maximum of commits and of files that a prompt names. The rest is in git. */
export const maxFiles = 200

/**
 * Maximum count of feedback and of guidance, and maximum bytes of each and of the names of files. A prompt is one
 * argument, which Linux limits to 128 KiB. The task itself may have 32,000 bytes of it.
 */
const [maxTold, maxBytes] = [4, 28_000]
const utf8 = new TextEncoder()

/** Returns the first texts that there is room for, in bytes, at least a part of the first. */
export const fitting = (texts: ReadonlyArray<string>, room = maxBytes): ReadonlyArray<string> => {
  const kept: Array<string> = []
  let leftBytes = room
  for (const text of texts) {
    const bytes = utf8.encode(text)
    leftBytes -= bytes.length
    if (leftBytes >= 0) kept.push(text)
    else if (kept.length === 0) kept.push(`${new TextDecoder().decode(bytes.subarray(0, room))}…`)
    if (leftBytes < 0) break
  }
  return kept
}

/** Returns the newest texts that there is room for, in their order. */
export const newestTexts = (texts: ReadonlyArray<string>) => fitting(texts.slice(-maxTold).toReversed()).toReversed()

/** Quotes a file's name as one line of JSON without invisible characters. A name may hold any text. */
export const quoted = (file: string) =>
  JSON.stringify(file).replaceAll(/[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, (mark) =>
    Array.from({ length: mark.length }, (_, at) => `\\u${mark.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
  )

/** Maximum of files unknown to git that are named. */
const maxForgotten = 50
/** Lists files that git does not know. */
export const listed = (files: ReadonlyArray<string>) =>
  [
    ...files.slice(0, maxForgotten).map((name) => `- ${quoted(name)}`),
    ...(files.length > maxForgotten ? [`- and ${files.length - maxForgotten} more`] : [])
  ].join("\n")

/** Asks for the word of the launch. It tells what an agent says from what it read. */
export const wordAsked = (word: string) =>
  `Print your answer last, with nothing after it. Its first word is followed by \`${word}\`, which only you have, and only for this turn. An answer without that word does not count.`

/** Returns the programs that judge a commit, on one line. */
export const gateLine = ({ verify }: PlanGate) => verify.map((words) => `\`${programLine(words)}\``).join(", ")
