import { it } from "@effect/vitest"
import { Event, type WatchEvent, type WatchIntent } from "../src/index.ts"
import { at, died, given, watcher, watching } from "./Given.ts"

const operator = { _tag: "Operator" } as const
type Word = Extract<WatchIntent, { readonly _tag: "TakeFleetWord" }>

/** A word for a watch with these events, in time. */
const word = (events: ReadonlyArray<WatchEvent>, name: Word["word"], change: Partial<Word> = {}): Word => ({
  _tag: "TakeFleetWord",
  id: "w1",
  person: "anna",
  word: name,
  seen: events.length,
  until: 1000,
  ceilings: false,
  ...change
})
const taken = (name: Word["word"]) => Event.FleetWordTaken.make({ at: 1000, id: "w1", by: "anna", word: name })
const closed = [
  ...watching,
  died(1),
  Event.RecoveryStarted.make({ at, cycle: 1, purpose: "relaunch", trigger: "pid" }),
  Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "export", message: "no session" }),
  watcher(2)
]
const held = [...watching, Event.HoldStarted.make({ at })]

it("a word is an event with its speaker, followed by those of the command of its name", () => {
  for (const [name, events, after] of [
    ["retry", closed, ["RecoveryRetried", "RecoveryStarted"]],
    ["release", watching, ["WatchReleased"]],
    ["done", watching, ["ConductorCompleted"]],
    ["hold", watching, ["HoldStarted"]],
    ["hold", held, []],
    ["go", held, ["HoldEnded"]]
  ] as const) {
    const [said, ...others] = given(...events)
      .when(word(events, name), operator)
      .thenTags("FleetWordTaken", ...after)
    given(...events)
      .when(word(events, name), operator)
      .then(taken(name), ...others)
    // The same word once more, after whatever it led to.
    given(...events, said!, ...others)
      .when(word(events, name), operator)
      .thenRefused(name === "release" || name === "done" ? "ended" : "not now")
  }
})
it("a ceiling of use is renewed where this host has one, and no ceiling of a launch is", () => {
  given(...watching)
    .when(word(watching, "retry"), operator)
    .thenRefused("not now")
  given(...watching)
    .when(word(watching, "retry", { ceilings: true }), operator)
    .then(taken("retry"), Event.AllowanceRenewed.make({ at: 1000 }))
})
it("a word for another revision than the present one is refused, an older as a newer", () => {
  for (const seen of [0, watching.length - 1, watching.length + 1])
    given(...watching)
      .when(word(watching, "hold", { seen }), operator)
      .thenRefused("not now")
})
it("a word after its end is refused", () => {
  given(...watching)
    .when(word(watching, "hold", { until: 999 }), operator)
    .thenRefused("not now")
})
it("a word is refused where the command of its name is", () => {
  given(...watching)
    .when(word(watching, "go"), operator)
    .thenRefused("not now")
  given(...held)
    .when(word(held, "retry", { ceilings: true }), operator)
    .thenRefused("not now")
  given().when(word([], "hold"), operator).thenRefused("no such watch")
  const ended = [...watching, Event.WatchReleased.make({ at, exportPath: null })]
  given(...ended)
    .when(word(ended, "release"), operator)
    .thenRefused("ended")
})
