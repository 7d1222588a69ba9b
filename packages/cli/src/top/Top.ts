import type { Job } from "@souffleur/embed"
import type { JobNews } from "@souffleur/embed/internal"
import { Option, type Terminal } from "effect"
import type { TopLine } from "./TopLine.ts"

/** The content of the screen. */
export interface Top {
  /** `null`: the log is not read yet. */
  readonly news: JobNews | null
  readonly view: "list" | "job" | "why" | "help"
  /** The kind and the id of the chosen job; `null`: the first one. */
  readonly chosen: string | null
  /** The text of the job, or of its last decision. */
  readonly text: ReadonlyArray<TopLine>
  /** Lines of the text that are above the screen. */
  readonly above: number
  /** True if a person is asked before a retry. */
  readonly asks: boolean
  /** The answer to the last key, until the next one. */
  readonly notice: string | null
}

/** The wish of a person that a key tells. `read`: the text of another view. */
export type Wish = "quit" | "interrupt" | "attach" | "retry" | "read"

/** The screen after a key, and the wish that the key told. */
export interface Pressed {
  readonly top: Top
  readonly wish?: Wish
}

/** Begins with the list. */
export const initialTop: Top = {
  news: null,
  view: "list",
  chosen: null,
  text: [],
  above: 0,
  asks: false,
  notice: null
}

/** Returns the rows of the list. */
export const jobsIn = ({ news }: Top): ReadonlyArray<Job> => (news === null ? [] : [...news.living, ...news.ended])

const keyOf = ({ id, kind }: Job) => `${kind}/${id}`

/** Returns the place of the chosen job in the list. It stays chosen where the order changes. */
export const chosenAt = (top: Top): number =>
  Math.max(
    0,
    jobsIn(top).findIndex((job) => keyOf(job) === top.chosen)
  )

/** Returns the chosen job; `undefined`: there is none. */
export const chosenJob = (top: Top): Job | undefined => jobsIn(top)[chosenAt(top)]

/** The rows that a key moves by. */
const moves: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -10,
  pagedown: 10,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY
}

const within = (place: number, count: number) => Math.max(0, Math.min(count - 1, place))

const moved = (top: Top, by: number): Top => {
  if (top.view !== "list") return { ...top, above: within(top.above + by, top.text.length) }
  const jobs = jobsIn(top)
  const job = jobs[within(chosenAt(top) + by, jobs.length)]
  return job === undefined ? top : { ...top, chosen: keyOf(job) }
}

/** Opens a view of the chosen job. Its text is read then. */
const opened = (top: Top, view: "job" | "why"): Pressed => {
  const job = chosenJob(top)
  return job === undefined ? { top } : { top: { ...top, view, chosen: keyOf(job), text: [], above: 0 }, wish: "read" }
}

/** Does an act on the chosen watch, unless it cannot be done. */
const acting = (top: Top, refused: (job: Job) => string | null, done: (top: Top) => Pressed): Pressed => {
  const job = chosenJob(top)
  if (job === undefined) return { top }
  const why = refused(job)
  return why === null ? done({ ...top, chosen: keyOf(job) }) : { top: { ...top, notice: why } }
}

const ofWatch = (what: string) => (job: Job) =>
  job.kind === "watch" ? null : `${what} is of a watch, and this is a run`

/** Returns what follows from a key. */
export const pressed = (before: Top, { input, key }: Terminal.UserInput): Pressed => {
  const name = key.name === "" ? Option.getOrElse(input, () => "") : key.name
  const top = { ...before, notice: null, asks: false }
  if (key.ctrl)
    return name === "c" ? { top, wish: "interrupt" } : { top: before, ...(name === "d" && { wish: "quit" }) }
  if (before.asks) return name === "y" ? { top, wish: "retry" } : { top: { ...top, notice: "Nothing was said." } }
  const by = moves[name]
  if (by !== undefined) return { top: moved(top, by) }
  switch (name) {
    case "q":
      return { top, wish: "quit" }
    case "escape":
    case "left":
    case "backspace":
      return { top: { ...top, view: "list" } }
    case "return":
    case "enter":
    case "right":
      return opened(top, "job")
    case "w":
      return opened(top, "why")
    case "a":
      return acting(
        top,
        (job) => (job.state === "ended" ? "it has ended: nothing is there to go to" : ofWatch("attach")(job)),
        (top) => ({ top, wish: "attach" })
      )
    case "r":
      return acting(top, ofWatch("retry"), (top) => ({ top: { ...top, asks: true } }))
    case "?":
    case "h":
      return { top: { ...top, view: "help", above: 0 } }
    default:
      return { top }
  }
}
