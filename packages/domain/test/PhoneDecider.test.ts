import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import {
  buttonMillis,
  type Buttons,
  buttonsAfter,
  type Choice,
  decide,
  Event,
  evolve,
  judgePress,
  mayTell,
  noButtons,
  type PhoneEvent,
  readPress,
  type WatchEvent,
  type WatchIntent
} from "../src/index.ts"
import { at, given, watcher, watching } from "./Given.ts"

const operator = { _tag: "Operator" } as const
type Press = Extract<WatchIntent, { readonly _tag: "TakePress" }>

/** A press of a button of the newest event, in time. */
const press = (events: ReadonlyArray<WatchEvent>, word: Choice["word"], change: Partial<Press> = {}): Press => ({
  _tag: "TakePress",
  channel: "ntfy",
  message: "m1",
  digest: "d1",
  word,
  task: null,
  of: events.length,
  until: 1000,
  ...change
})
const taken = (word: Choice["word"]) =>
  Event.PhoneWordTaken.make({ at: 1000, channel: "ntfy", message: "m1", digest: "d1", word, task: null })
const closed = [
  ...watching,
  Event.RecoveryStarted.make({ at, cycle: 1, purpose: "relaunch", trigger: "pid" }),
  Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "export", message: "no session" }),
  watcher(2)
]
const held = [...watching, Event.HoldStarted.make({ at })]
const idle = Event.ConductorIdle.make({ at, watcher: 1, since: at, again: false })

describe("behaviour#answers-from-a-phone", () => {
  it("a press is an event with its channel, followed by those of the command of its name, and counts once", () => {
    for (const [word, events, after] of [
      ["hold", watching, ["HoldStarted"]],
      ["hold", held, []],
      ["go", held, ["HoldEnded"]],
      ["retry", closed, ["RecoveryRetried", "RecoveryStarted"]],
      ["done", watching, ["ConductorCompleted"]]
    ] as const) {
      const [said, ...others] = given(...events)
        .when(press(events, word), operator)
        .thenTags("PhoneWordTaken", ...after)
      assert.deepStrictEqual(said, taken(word))
      const then = given(...events, said!, ...others)
      // The same button once more, and another one of its notice.
      then.when(press(events, word), operator).thenRefused(word === "done" ? "ended" : "not now")
      then.when(press(events, "hold", { digest: "d2" }), operator).thenRefused(word === "done" ? "ended" : "not now")
    }
  })
  it("a press is refused after its hour, and once what its notice told of has passed", () => {
    given(...watching)
      .when(press(watching, "hold", { until: 999 }), operator)
      .thenRefused("not now")
    given(...watching)
      .when(press(watching, "hold", { of: watching.length + 1 }), operator)
      .thenRefused("not now")
    for (const passed of [
      [...held, Event.HoldEnded.make({ at })],
      [...watching, idle, Event.ConductorBusy.make({ at, watcher: 1 })],
      [
        ...watching,
        Event.PersonAwaited.make({ at, watcher: 1, for: "a permission" }),
        Event.PersonCame.make({ at, watcher: 1 })
      ]
    ])
      for (const word of ["go", "done", "hold"] as const)
        given(...passed)
          .when(press(passed, word, { of: watching.length + 1 }), operator)
          .thenRefused("not now")
    const lost = Event.NoticeLost.make({ at, channel: "slack", notice: "idle", of: 7, tries: 5, message: "no answer" })
    const still = [...watching, idle, lost]
    given(...still)
      .when(press(still, "done", { of: watching.length + 1 }), operator)
      .thenTags("PhoneWordTaken", "ConductorCompleted")
  })
  it("a press raises nothing: no ceiling of use is renewed by it, and no word but those of a notice is known", () => {
    const used = [
      ...watching,
      Event.CeilingReached.make({ at, watcher: 1, ceiling: "tokens", used: 2, limit: 1, flag: null, then: "withhold" })
    ]
    given(...used)
      .when(press(used, "retry"), operator)
      .thenRefused("never")
    const events = given(...closed)
      .when(press(closed, "retry"), operator)
      .granted()
    const after = events.reduce(evolve, given(...closed).watch)
    assert.strictEqual(after.allowedSince, given(...closed).watch.allowedSince, "an operator's retry would renew it")
    given(...closed)
      .when({ ...press(closed, "skip") }, operator)
      .thenRefused("never")
    given(...closed)
      .when(press(closed, "retry", { task: "task-001" }), operator)
      .thenRefused("never")
    for (const word of ["stop", "release", "--allow", "plan", "trust"])
      assert.strictEqual(readPress(JSON.stringify({ word, secret: "a".repeat(64) })), "garbled", word)
  })
  it("no buttons are offered for what has passed", () => {
    const offer = (of: number): WatchIntent => ({ _tag: "OfferButtons", channel: "ntfy", of, until: 2000, buttons: [] })
    const since = [...held, Event.HoldEnded.make({ at })]
    given(...since)
      .when(offer(held.length))
      .thenRefused("not now")
    given(...since)
      .when(offer(since.length))
      .thenTags("ButtonsOffered")
  })
  it("a message is a press only in its very form", () => {
    const secret = "ab".repeat(32)
    assert.deepStrictEqual(readPress(JSON.stringify({ word: "go", secret })), { word: "go", secret })
    for (const text of [
      "",
      "go",
      "[]",
      "{}",
      `{"word":"go","secret":"${secret}","text":"x"}`,
      `{"word":"go","secret":"${secret.toUpperCase()}"}`,
      `{"word":"go","secret":"${secret.slice(2)}"}`,
      `{"word":["go"],"secret":"${secret}"}`
    ])
      assert.strictEqual(readPress(text), "garbled", text)
    assert.strictEqual(readPress(`{"word":"go","secret":"${secret}"}${" ".repeat(100)}`), "too long")
    assert.strictEqual(readPress(null), "too long")
  })
  it("ten refusals are told within an hour", () => {
    const refused = (n: number): PhoneEvent =>
      Event.PhoneWordRefused.make({ at: n, channel: "ntfy", message: `m${n}`, fault: "garbled", word: null })
    const flooded = Array.from({ length: 10 }, (_, n) => refused(n)).reduce(buttonsAfter, noButtons)
    assert.isFalse(mayTell(flooded, 1000))
    assert.isTrue(mayTell(flooded, buttonMillis + 1))
    assert.strictEqual(flooded.heard, "m9")
  })

  const words = ["hold", "go", "retry"] as const
  const Act = Schema.Union([
    Schema.Struct({ _tag: Schema.Literal("offer") }),
    Schema.Struct({ _tag: Schema.Literal("world"), n: Schema.Literals([0, 1, 2]) }),
    Schema.Struct({
      _tag: Schema.Literal("press"),
      /** Of the newest notice, or of the one before it. */
      back: Schema.Literals([0, 3]),
      button: Schema.Literals([0, 1, 2]),
      word: Schema.Literals(["its own", "go"]),
      later: Schema.Literals([0, 1, 2, 3, 3_700_000])
    })
  ])
  it.prop(
    "of any sequence of presses each button has one effect at most, in its hour, by its own word",
    [Schema.Array(Act).check(Schema.isMinLength(30), Schema.isMaxLength(60))],
    ([acts]) => {
      let watch = watching.reduce(evolve, given().watch)
      let buttons: Buttons = noButtons
      let now = 1000
      const effects = new Map<string, number>()
      const apply = (intent: WatchIntent) => {
        const decided = decide(watch, { ...intent, now, by: operator })
        if (decided._tag === "Failure") return
        for (const event of decided.success) {
          watch = evolve(watch, event)
          if (event._tag === "ButtonsOffered" || event._tag === "PhoneWordTaken") buttons = buttonsAfter(buttons, event)
          if (event._tag === "PhoneWordTaken") effects.set(event.digest, (effects.get(event.digest) ?? 0) + 1)
        }
      }
      for (const act of acts) {
        if (act._tag === "world")
          apply(([{ _tag: "Hold" }, { _tag: "Go" }, { _tag: "ReportIdle", watcher: 1, since: now }] as const)[act.n]!)
        else if (act._tag === "offer") {
          const n = buttons.offered.size
          apply({
            _tag: "OfferButtons",
            channel: "ntfy",
            of: watch.revision,
            until: now + buttonMillis,
            buttons: words.map((word, k) => ({ word, task: null, digest: `${n + k}` }))
          })
        } else {
          now += act.later
          const digest = `${buttons.offered.size - 3 - act.back + act.button}`
          const word = act.word === "go" ? act.word : words[act.button]!
          const button = judgePress(buttons, { word, digest }, now)
          if (typeof button === "string") continue
          assert.isAtMost(now, button.until)
          assert.strictEqual(word, button.word)
          // Whatever was known of it, and twice: the rules alone hold it to one.
          const order = { _tag: "TakePress", channel: "ntfy", message: "m", digest, ...button } as const
          apply(order)
          apply(order)
        }
      }
      assert.isTrue([...effects.values()].every((count) => count === 1))
      return Effect.void
    }
  )
})
