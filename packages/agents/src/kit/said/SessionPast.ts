import { Bounds, type SessionPast, type Todo, type UsePoint } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { alwaysParsedBytes, type IsOther } from "../export/TranscriptReading.ts"
import { type Json, objectsIn, recordOf, textOf, timeOf } from "../lines/JsonRecord.ts"
import { fromTheEnd } from "../lines/Tail.ts"
import type { Saying, Sayings } from "./Said.ts"

/** Bytes of a line that is read whole. */
const maxLine = 1 << 20
/** Items of a list, and UTF-16 units of one. */
const [maxItems, maxText] = [200, 500] as const
/** The most answers of which a past tells. */
const maxPoints = 20_000

type Call = Extract<Saying, { readonly _tag: "Call" }>
type Result = Extract<Saying, { readonly _tag: "Result" }>

/** The tools by which agents write the whole list of their own work. */
const lists = new Set(["TodoWrite", "todo_write", "todowrite", "write_todos", "update_plan", "update_todo"])

const states = new Map<string, Todo["state"]>([
  ["in_progress", "doing"],
  ["completed", "done"],
  ["done", "done"],
  ["cancelled", "dropped"],
  ["deleted", "dropped"]
])
const stateIn = (item: Json): Todo["state"] => states.get(textOf(item["status"])) ?? "open"

const firstText = (item: Json, ...fields: ReadonlyArray<string>): string =>
  fields.map((field) => textOf(item[field])).find((text) => text !== "") ?? ""

/** Reads the items of a list in Markdown, such as `- [x] build it`. */
const checklist = (text: string): ReadonlyArray<Todo> =>
  [...text.matchAll(/^[ \t]*[-*] \[([ xX~])\] (.+)$/gmu)].map(([, mark = "", words = ""]) => ({
    text: words,
    state: mark === " " ? "open" : mark === "~" ? "doing" : "done"
  }))

const listIn = ({ plan, todos }: Json): ReadonlyArray<Todo> =>
  typeof todos === "string"
    ? checklist(todos)
    : objectsIn(todos ?? plan).map((item) => ({
        text: firstText(item, "content", "step", "description", "title"),
        state: stateIn(item)
      }))

/** Matches the answer to a task that was added to a list. */
const created = /^Task #(\d{1,6}) created/u

/** Returns the list that these calls leave, oldest first; `null`: none of them tells one. */
const todosAfter = (said: ReadonlyArray<Call | Result>): ReadonlyArray<Todo> | null => {
  let found: Map<string, Todo> | undefined
  const asked = new Map<string, string>()
  for (const one of said) {
    if (one._tag === "Result") {
      const [, id] = created.exec(one.text) ?? []
      const text = asked.get(one.id)
      if (id !== undefined && text !== undefined) (found ??= new Map()).set(id, { text, state: "open" })
    } else if (one.name === "TaskCreate") asked.set(one.id, textOf(one.input["subject"]))
    else if (one.name === "TaskUpdate") {
      const id = textOf(one.input["taskId"])
      const before = found?.get(id)
      const text = textOf(one.input["subject"]) || before?.text
      const state = one.input["status"] === undefined ? (before?.state ?? "open") : stateIn(one.input)
      // Of an item that was added further up, the list says only that it changed.
      found ??= new Map()
      if (text !== undefined && text !== "") found.set(id, { text, state })
    } else found = new Map(listIn(one.input).map((item, n) => [String(n + 1), item]))
  }
  if (found === undefined) return null
  const items = [...found.values()].filter(({ state, text }) => text !== "" && state !== "dropped")
  return items.slice(0, maxItems).map(({ state, text }) => ({ state, text: text.slice(0, maxText) }))
}

const tells = (said: Saying): said is Call | Result =>
  said._tag === "Call"
    ? lists.has(said.name) || said.name === "TaskCreate" || said.name === "TaskUpdate"
    : said._tag === "Result" && created.test(said.text)

const withUse = (point: UsePoint, said: Saying): UsePoint => {
  if (said._tag === "Context" && said.tokens > 0) {
    const { tokens, window } = said
    return { ...point, context: tokens, ...(typeof window === "number" ? { window } : {}) }
  }
  if (said._tag !== "Used" || said.aside === true) return point
  return {
    ...point,
    tokens: Bounds.sum([point.tokens ?? 0, said.tokens]),
    ...(said.dollars === undefined ? {} : { dollars: (point.dollars ?? 0) + said.dollars })
  }
}

/**
 * Makes the reading of what the end of a session file tells of its use over time, and of the list that its agent keeps
 * of its own work. `sayings`: made anew for each reading, which goes from the last record to the first.
 */
export const makeSessionPast = (sayings: () => Sayings, isOther: IsOther = () => false) =>
  Effect.fn("sessionPast")(
    function* (path: string, bytes: number) {
      const points: Array<UsePoint> = []
      const told: Array<Call | Result> = []
      const sayingsOf = sayings()
      /** The newest answer. Its older records have counts that are not final. */
      let answer: unknown
      yield* fromTheEnd(path, { bytes, line: maxLine }, (line) => {
        if (line.length > alwaysParsedBytes && isOther(line)) return "more"
        const record = recordOf(line)
        if (record === undefined) return "more"
        const said = sayingsOf(record)
        const at = timeOf(record, 0)
        const of = said.find((one) => one._tag === "Used")?.of
        const isAgain = of !== undefined && of === answer
        answer = of ?? answer
        const point = isAgain ? { at } : said.reduce(withUse, { at } as UsePoint)
        if (at > 0 && (point.context !== undefined || point.tokens !== undefined)) points.push(point)
        told.push(...said.filter(tells).toReversed())
        return points.length < maxPoints ? "more" : "enough"
      })
      return Option.some<SessionPast>({ points: points.toReversed(), todos: todosAfter(told.toReversed()) })
    },
    Effect.orElseSucceed(() => Option.none<SessionPast>())
  )
