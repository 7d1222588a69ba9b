import { Option, Predicate, Result, Schema } from "effect"
import type { AgentReport } from "../decide/Ladder.ts"
import type { Feedback } from "../run/RunEvent.ts"

/** An agent's account of its work. Its commits, files and test file are claims: git is asked for the truth. */
export type AgentVerdict =
  | { readonly _tag: "Complete"; readonly testFile: string | null }
  | Extract<AgentReport, { readonly _tag: "Blocked" | "Approved" | "Rejected" }>

/** The reason why an agent's last words are no verdict. */
export interface NoVerdict {
  readonly reason: "no verdict" | "contradictory verdict"
  /** A sentence without any words of the agent. */
  readonly message: string
}

type Form = Readonly<Record<string, unknown>>
const decodeForm = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

type Header = "IMPLEMENTATION_COMPLETE" | "IMPLEMENTATION_BLOCKED" | "APPROVED" | "REJECTED"
const fields: Readonly<Record<Header, ReadonlyArray<string>>> = {
  IMPLEMENTATION_COMPLETE: ["commits", "files_changed", "test_file"],
  IMPLEMENTATION_BLOCKED: ["reason"],
  APPROVED: ["summary", "issues", "blocking", "minor", "suggestions"],
  REJECTED: ["summary", "issues", "blocking", "minor", "suggestions"]
}

/** A verdict and the word behind its header. Only with the word of its launch is it the agent's own. */
export interface Said {
  readonly verdict: AgentVerdict
  readonly word: string
}

interface Block {
  readonly header: Header
  /** The word behind the header; `""`: none. */
  readonly word: string
  /**
   * The number of the stretch of text that has the header. Fences and empty lines part stretches. Two verdicts in one
   * stretch are none.
   */
  readonly stretch: number
  readonly values: Map<string, string>
  readonly items: Map<string, Array<string>>
  /** True if other text came behind it. */
  followed: boolean
}

/**
 * Maximum characters of a text and of an item, and maximum items. A verdict goes to the log, and feedback into prompts.
 */
const limits = { text: 2000, item: 500, items: 20 } as const
const clipped = (text: string, maxCharacters: number) => {
  // A character has one or two UTF-16 units.
  const points = Array.from(text.slice(0, 2 * maxCharacters))
  return points.length <= maxCharacters ? text : `${points.slice(0, maxCharacters - 1).join("")}…`
}

/** Maximum characters of a line that are read: more than any field keeps. */
const maxLineCharacters = 4000
/** Strips these characters from the ends, by index. A pattern that ends in `$` takes quadratic time, or worse. */
const stripped = (text: string, before: string, after: string) => {
  let [start, end] = [0, text.length]
  while (start < end && before.includes(text[start]!)) start++
  while (end > start && after.includes(text[end - 1]!)) end--
  return text.slice(start, end)
}

const isFence = (line: string) => line.startsWith("```") || line.startsWith("~~~")
/** Strips Markdown's marks around a word. */
const bare = (line: string) => stripped(line, "*_`# \t", "*_`: \t")
/** Finds a header, alone or with one word. A longer line is a sentence. */
const headerIn = (line: string, headers: ReadonlyArray<Header>) => {
  const [first = "", word = "", ...more] = bare(line).split(/\s+/u)
  const header = more.length === 0 ? headers.find((known) => known === bare(first)) : undefined
  return header === undefined ? undefined : { header, word: bare(word) }
}
/** Reads `name: value`, with marks around the name. */
const fieldIn = (line: string) => {
  const colon = line.indexOf(":")
  if (colon === -1) return undefined
  const name = stripped(line.slice(0, colon), "*_`- \t", "*_`")
  return { name: name.toLowerCase(), value: stripped(line.slice(colon + 1), "*_`", "").trim() }
}
/** Returns whether a text repeats a prompt's own words in brackets, so that nothing was filled in. */
const isPlaceholder = (text: string) =>
  /^\[(?:list of|path to|explanation of|brief summary|overall assessment|specific issue|minor finding|actionable suggestion)\b[^\]]*\]$/u.test(
    text
  )
/** Returns a text without control characters; `""` for a placeholder. */
const filled = (text: string) => {
  const plain = text.replaceAll(/\p{Cc}+/gu, " ").trim()
  return isPlaceholder(plain) ? "" : plain
}

/** Appends a line to a field or an item, up to the length of a line that is read. */
const continued = (before: string, line: string) =>
  before.length > maxLineCharacters ? before : `${before} ${line}`.trim()

const blocksIn = (text: string, headers: ReadonlyArray<Header>): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let stretch = 0
  let [open, key, gap]: [boolean, string | undefined, boolean] = [false, undefined, false]
  for (const raw of text.split(/\r\n|\n|\r/u)) {
    const line = raw.slice(0, maxLineCharacters).trim()
    const header = headerIn(line, headers)
    const block = blocks.at(-1)
    if (header !== undefined) {
      blocks.push({ ...header, stretch, values: new Map(), items: new Map(), followed: false })
      ;[open, key, gap] = [true, undefined, false]
    } else if (isFence(line)) {
      stretch += 1
      // A fence right behind the header begins its fields. Any other fence ends them.
      if (block !== undefined && (block.values.size > 0 || block.items.size > 0)) open = false
    } else if (line === "") {
      stretch += 1
      gap = true
    } else if (block !== undefined && !open) block.followed = true
    else if (block !== undefined) {
      const field = fieldIn(line)
      const known = fields[block.header].find((name) => name === field?.name)
      const item = /^(?:[-*•]|\d+[.)])\s+([^]*)/u.exec(line)?.[1]
      if (field !== undefined && known !== undefined) {
        ;[key, gap] = [known, false]
        const [items, before] = [block.items.get(key) ?? [], block.values.get(key) ?? ""]
        // A list may have its name before each item.
        if (before !== "") items.push(before)
        block.items.set(key, items)
        block.values.set(key, field.value)
      } else if (key !== undefined && item !== undefined && block.values.get(key) === "") {
        block.items.get(key)!.push(item)
        gap = false
      } else if (gap) block.followed = true
      else if (key !== undefined) {
        const items = block.items.get(key)!
        if (items.length > 0 && block.values.get(key) === "") items.push(continued(items.pop()!, line))
        else block.values.set(key, continued(block.values.get(key)!, line))
      } else block.followed = true
    }
  }
  return blocks
}

/** UTF-16 units at the end of a text, and lines in them, among which an answer by a schema is looked for. */
const formLimits = { text: 65_536, lines: 200 } as const

/** Returns the answer by the schema of a role (`VerdictForm.ts`) that a text ends with, and the blocks above it. */
const formIn = (text: string, headers: ReadonlyArray<Header>): ReadonlyArray<Block> | undefined => {
  const lines = text.slice(-formLimits.text).trim().split("\n").slice(-formLimits.lines)
  for (const at of lines.keys().toArray().toReversed()) {
    if (!lines[at]!.startsWith("{")) continue
    const { verdict, word, ...more } = Option.getOrElse(decodeForm(lines.slice(at).join("\n")), () => ({}) as Form)
    const header = headers.find((known) => known === verdict)
    if (header === undefined || typeof word !== "string") continue
    const known = Object.entries(more).filter(([key]) => fields[header].includes(key))
    const texts = known.map(([key, value]) => [key, typeof value === "string" ? value : ""] as const)
    const lists = known.map(
      ([key, value]) => [key, Array.isArray(value) ? value.filter(Predicate.isString) : []] as const
    )
    // What stands right above it may contradict it, as above a header.
    const above = blocksIn([...lines.slice(0, at), header].join("\n"), headers)
    const { stretch } = above.at(-1)!
    return [
      ...above.slice(0, -1),
      { header, word: bare(word), stretch, values: new Map(texts), items: new Map(lists), followed: false }
    ]
  }
  return undefined
}

const listOf = ({ items, values }: Block, ...keys: ReadonlyArray<string>): ReadonlyArray<string> =>
  keys
    .flatMap((key) => [...(items.get(key) ?? []), values.get(key) ?? ""])
    .map(filled)
    .filter((item) => item !== "" && !/^\(?(?:none|n\/a|-|\[\])\)?\.?$/iu.test(item))
    .slice(0, limits.items)
    .map((item) => clipped(item, limits.item))
/** Returns the findings that keep work from being accepted. One without a degree is such a one. */
const blockingIn = (block: Block) => listOf(block, "blocking", "issues")

const path = (text: string): string | null => {
  const value = stripped(filled(text), "`\"'[", "`\"']")
  return value === "" || /^(?:none|n\/a|null|-)$/iu.test(value) ? null : clipped(value, limits.item)
}

/** Cuts findings to what the log keeps of them, whatever their source. */
export const boundedFindings = (findings: ReadonlyArray<string>): ReadonlyArray<string> =>
  findings.slice(0, limits.items).map((item) => clipped(filled(item), limits.item))

/** Cuts feedback to what the log keeps of it, whatever its source. */
export const boundedFeedback = ({
  issues,
  suggestions,
  summary
}: Omit<Feedback, "attempt">): Omit<Feedback, "attempt"> => ({
  summary: clipped(filled(summary), limits.text),
  issues: boundedFindings(issues),
  suggestions: boundedFindings(suggestions)
})

/**
 * Returns the verdict of a block that has all that its header asks for (spec: behaviour#verdicts-of-agents); else
 * `undefined`.
 */
const wellFormed = (block: Block): AgentVerdict | undefined => {
  const text = (key: string) => clipped(filled(block.values.get(key) ?? ""), limits.text)
  switch (block.header) {
    case "IMPLEMENTATION_COMPLETE": {
      const named = ["commits", "files_changed"].every(
        (key) => block.values.has(key) && !isPlaceholder(block.values.get(key)!.trim())
      )
      return named ? { _tag: "Complete", testFile: path(block.values.get("test_file") ?? "") } : undefined
    }
    case "IMPLEMENTATION_BLOCKED": {
      const message = text("reason") === "" ? clipped(listOf(block, "reason").join("; "), limits.text) : text("reason")
      return message === "" ? undefined : { _tag: "Blocked", message }
    }
    case "APPROVED":
      return text("summary") === ""
        ? undefined
        : { _tag: "Approved", summary: text("summary"), minor: listOf(block, "minor") }
    case "REJECTED":
      return text("summary") === ""
        ? undefined
        : {
            _tag: "Rejected",
            feedback: {
              summary: text("summary"),
              issues: blockingIn(block),
              suggestions: listOf(block, "suggestions")
            },
            minor: listOf(block, "minor")
          }
  }
}

/** The verdicts of each role. */
export const verdictWords = {
  implementer: ["IMPLEMENTATION_COMPLETE", "IMPLEMENTATION_BLOCKED"],
  reviewer: ["APPROVED", "REJECTED"]
} as const

/**
 * Reads the verdict in what an agent printed. It is the last thing said: an answer by the schema of the role, or a
 * well-formed block with a word behind its header. Text before it may be quoted from anywhere. Another verdict in the
 * same stretch of text contradicts it. So do blocking findings in an approval, and a rejection that sorts its findings
 * and has no such one. Fails with `NoVerdict`.
 */
export const readVerdict = (role: keyof typeof verdictWords, printed: string): Result.Result<Said, NoVerdict> => {
  const none = (message: string) => Result.fail<NoVerdict>({ reason: "no verdict", message })
  const contradiction = (message: string) => Result.fail<NoVerdict>({ reason: "contradictory verdict", message })
  const blocks = formIn(printed, verdictWords[role]) ?? blocksIn(printed, verdictWords[role])
  if (printed.trim() === "") return none(`the ${role} printed nothing`)
  const last = blocks.at(-1)
  if (last === undefined) return none(`the ${role} ended without ${verdictWords[role].join(" or ")}`)
  // A block with another word is a sentence or a quotation.
  const others = blocks.filter(
    ({ header, word }) => header !== last.header && (word === last.word || word === "" || last.word === "")
  )
  if (others.some(({ stretch }) => stretch === last.stretch))
    return contradiction(`the ${role} said ${verdictWords[role].join(" and ")} at once`)
  if (last.followed) return none(`the ${role} said something else after its ${last.header}`)
  const verdict = wellFormed(last)
  if (verdict === undefined) return none(`the ${role}'s ${last.header} lacks what belongs to it`)
  const isBlocked = blockingIn(last).length > 0
  if (verdict._tag === "Approved" && isBlocked) return contradiction("the reviewer approved, and names issues")
  if (verdict._tag === "Rejected" && !isBlocked && (last.values.has("blocking") || last.values.has("minor")))
    return contradiction("the reviewer rejected, and names no blocking finding")
  return last.word === ""
    ? none(`the ${role}'s ${last.header} lacks the word of its assignment`)
    : Result.succeed({ verdict, word: last.word })
}
