import type { Job } from "@souffleur/embed"
import { Option, type Terminal } from "effect"
import { chosenAt, chosenJob, jobKey, jobsIn, keptChosen, sorts, type Spoken, type Top } from "./Top.ts"
import { topHelp } from "./TopFrame.ts"
import { type TopWord, topWords } from "./TopWord.ts"

/** The screen after a key, and the wish that the key told. `read`: the text of another view. */
export interface Pressed {
  readonly top: Top
  readonly wish?: "quit" | "interrupt" | "attach" | "read" | Spoken
}

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

/** UTF-16 units of a filter. */
const maxFilter = 60

const within = (place: number, count: number) => Math.max(0, Math.min(count - 1, place))

const moved = (top: Top, by: number): Top => {
  if (top.view !== "list")
    return { ...top, above: within(top.above + by, top.view === "help" ? topHelp.length : top.text.length) }
  const jobs = jobsIn(top)
  const job = jobs[within(chosenAt(top, jobs) + by, jobs.length)]
  return job === undefined ? top : { ...top, chosen: jobKey(job) }
}

/** Opens a view of the chosen job. Its text is read then. */
const opened = (top: Top, view: "job" | "why"): Pressed =>
  chosenJob(top) === undefined ? { top } : { top: { ...top, view, text: [], above: 0 }, wish: "read" }

/** Says a word of the chosen job, or asks first. */
const spoken = (top: Top, word: TopWord, { id, kind }: Job): Pressed => {
  const { asks, ofRun } = topWords[word]
  if (kind === "run" && !ofRun)
    return { top: { ...top, notice: { text: `${word} is of a watch, and this is a run`, tone: "yellow" } } }
  return asks ? { top: { ...top, asks: { word, id } } } : { top, wish: { word, id } }
}

const attached = (top: Top, { state }: Job): Pressed =>
  state === "ended"
    ? { top: { ...top, notice: { text: "it has ended: nothing is there to go to", tone: "yellow" } } }
    : { top, wish: "attach" }

/** Returns the screen while a filter is typed. */
const typed = (top: Top, name: string, input: string): Top => {
  if (name === "return" || name === "enter") return keptChosen({ ...top, typing: false })
  if (name === "escape") return keptChosen({ ...top, typing: false, filter: "" })
  if (name === "up" || name === "down") return moved(top, moves[name]!)
  const filter = name === "backspace" ? [...top.filter].slice(0, -1).join("") : top.filter + input
  return keptChosen({ ...top, filter: filter.replaceAll(/\p{Cc}/gu, "").slice(0, maxFilter) })
}

/** Returns what follows from a key. */
export const pressed = (before: Top, { input, key }: Terminal.UserInput): Pressed => {
  const text = Option.getOrElse(input, () => "")
  const name = key.name === "" ? text : key.name
  const top = keptChosen({ ...before, notice: null, asks: null })
  if (name === "paste-start" || name === "paste-end") return { top: { ...before, pasting: name === "paste-start" } }
  // Ctrl-C still leaves where the second mark is lost.
  if (before.pasting && !(key.ctrl && name === "c")) return { top: before.typing ? typed(before, "", text) : before }
  if (key.ctrl)
    return name === "c" ? { top, wish: "interrupt" } : { top: before, ...(name === "d" && { wish: "quit" }) }
  // Escape and a key that follows at once are one key of its own.
  if (key.meta && name !== "escape") return { top: before }
  if (before.asks !== null)
    return name === "y"
      ? { top, wish: before.asks }
      : { top: { ...top, notice: { text: "Nothing was said.", tone: "yellow" } } }
  if (before.typing) return { top: typed(top, name, text) }
  const by = moves[name]
  if (by !== undefined) return { top: moved(top, by) }
  const job = chosenJob(top)
  const word = (Object.keys(topWords) as ReadonlyArray<TopWord>).find((one) => topWords[one].key === name)
  if (word !== undefined) return job === undefined ? { top } : spoken(top, word, job)
  switch (name) {
    case "q":
      return { top, wish: "quit" }
    case "escape":
    case "left":
    case "backspace":
      return { top: top.view === "list" ? keptChosen({ ...top, filter: "" }) : { ...top, view: "list" } }
    case "return":
    case "enter":
    case "right":
      return opened(top, "job")
    case "w":
      return opened(top, "why")
    case "o":
      return { top: { ...top, view: "list", pane: top.view !== "list" || !top.pane } }
    case "a":
      return job === undefined ? { top } : attached(top, job)
    case "s":
      return { top: { ...top, sort: sorts[(sorts.indexOf(top.sort) + 1) % sorts.length]! } }
    case "/":
      return { top: keptChosen({ ...top, view: "list", filter: "", typing: true }) }
    case "?":
      return { top: { ...top, view: "help", above: 0 } }
    default:
      return { top }
  }
}
