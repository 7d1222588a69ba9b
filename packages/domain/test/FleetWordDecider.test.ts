import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Event, type WatchEvent, type WatchIntent } from "../src/index.ts"
import { examples } from "./fixtures/events/Examples.ts"
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
/** Events that may come between a word and its delivery. */
const happening = ["PersonAwaited", "KillDeferred", "HoldStarted", "HoldEnded", "WaitStarted", "WaitEnded"] as const
const held = [...watching, Event.HoldStarted.make({ at })]

describe("fleet#words", () => {
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
  it("a word counts from the revision that was seen on, whatever happens there that it does not depend on", () => {
    const quiet = [examples.PersonAwaited, examples.KillDeferred, examples.PersonCame, examples.NoticeLost]
    const recovering = [
      ...watching,
      died(1),
      Event.RecoveryStarted.make({ at, cycle: 1, purpose: "relaunch", trigger: "pid" })
    ]
    for (const [before, after] of [
      [watching, quiet],
      [recovering, [{ ...examples.StepStarted, step: "stop" }, ...quiet]]
    ] as const)
      for (const name of ["hold", "release", "done"] as const)
        given(...before, ...after)
          .when(word(before, name), operator)
          .thenTags(
            ...given(...before)
              .when(word(before, name), operator)
              .granted()
              .map(({ _tag }) => _tag)
          )
    given(...watching)
      .when(word(watching, "hold", { seen: watching.length + 1 }), operator)
      .thenRefused("not now")
  })
  it("a word for a revision before the last change of stance is refused: a phase, a generation, a recovery, a hold, a wait", () => {
    const turns: ReadonlyArray<readonly [ReadonlyArray<WatchEvent>, WatchEvent]> = [
      [watching.slice(0, -1), watching.at(-1)!],
      [watching, examples.ConductorRelaunched],
      [[...watching, died(1)], Event.RecoveryStarted.make({ at, cycle: 1, purpose: "relaunch", trigger: "pid" })],
      [closed.slice(0, -2), closed.at(-2)!],
      [watching, examples.HoldStarted],
      [held, examples.HoldEnded],
      [held, examples.RecoveryWithheld],
      [watching, examples.WaitStarted],
      [watching, examples.CeilingReached],
      [watching, taken("go")]
    ]
    for (const [before, turn] of turns)
      for (const after of [[turn], [turn, examples.PersonAwaited]])
        given(...before, ...after)
          .when(word(before, "release"), operator)
          .thenRefused("not now")
  })
  it.prop(
    "a word has one effect at most, whatever happens around it and however often it comes",
    [Schema.Array(Schema.Struct({ step: Schema.Literals(["happens", "is said", "comes"]), number: Schema.Int }))],
    ([steps]) => {
      const log: Array<WatchEvent> = [...watching]
      const said: Array<Word> = []
      for (const { number, step } of steps) {
        const one = <A>(all: ReadonlyArray<A>): A => all[Math.abs(number) % all.length]!
        if (step === "happens") log.push(examples[one(happening)])
        else if (step === "is said" || said.length === 0)
          said.push(word(log, one(["hold", "go", "retry"]), { id: `w${said.length}`, ceilings: true }))
        else
          log.push(
            ...given(...log)
              .when(one(said), operator)
              .granted()
          )
      }
      const ids = log.flatMap((event) => (event._tag === "FleetWordTaken" ? [event.id] : []))
      assert.strictEqual(new Set(ids).size, ids.length)
    }
  )
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
})
