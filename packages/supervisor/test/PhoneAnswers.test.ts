import { assert, describe, it } from "@effect/vitest"
import { digestOf, Event, EventLog, type PhoneIntent, type WatchEvent } from "@souffleur/domain"
import { Cursor } from "@souffleur/eventlog"
import { HostServices } from "@souffleur/node"
import { makeNoticeChannels } from "@souffleur/notify"
import { listenToPhone, NoticeChannels, offerButtons } from "@souffleur/process"
import { Context, Effect, Fiber, Layer, Schedule } from "effect"
import { deliver } from "../../notify/src/Delivery.ts"
import { ntfyStandIn, ntfyToken, pressButton, type PublishedAction } from "../../notify/test/NtfyStandIn.ts"
import { choicesOf, command, episodeAfter, noEpisode, noticeOf, notifier } from "../src/index.ts"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { begun } from "@souffleur/testing"
import { died, recovering, started, watching } from "./SupervisorWorld.ts"

const at = begun
const closed = [
  recovering(),
  Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "gate", message: "too large" }),
  started(2)
]
const awaited = Event.PersonAwaited.make({ at, watcher: 1, for: "may I run rm?" })

/** A watch whose notices go to a server that speaks ntfy's protocol, by the own side of the process that does so. */
const phoned = Effect.fnUntraced(function* (history: ReadonlyArray<WatchEvent>, token = ntfyToken) {
  const ntfy = yield* ntfyStandIn()
  const log = Context.get(yield* Layer.build(EventLog.layerMemory), EventLog)
  const marks = Context.get(yield* Layer.build(Cursor.layerMemory), Cursor)
  yield* log.append("w", 0, [...watching, ...history])
  const own = Effect.provideService(EventLog, log)
  const order = {
    log,
    stream: "w",
    subject: { watch: "w", project: "/p" },
    dispatch: (intent: PhoneIntent) => own(command("w", intent))
  }
  const post = (line: string) => deliver(line)
  const channels = yield* makeNoticeChannels([{ _tag: "ntfy", url: `${ntfy.url}/night`, words: false }], {
    quietHours: null,
    stateDir: "/nowhere",
    variables: { SOUFFLEUR_NTFY_TOKEN: `${token}@${ntfy.url}` },
    platform: "linux",
    post,
    ask: post
  })
  const heard = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, NoticeChannels, channels)
  const telling = notifier("w", "/p", { offer: (...of) => heard(offerButtons(order)(...of)) }).pipe(
    heard,
    own,
    Effect.provideService(Cursor, marks)
  )
  yield* Effect.forkScoped(telling)
  const listening = heard(listenToPhone(order, 0))
  const tags = Effect.map(log.read("w", watching.length + history.length), (all) => all.map(({ event }) => event))
  /** Waits until the log has so many more events. */
  const events = (count: number) =>
    Effect.repeat(tags, { until: (all) => all.length >= count, schedule: Schedule.spaced("20 millis") })
  /** Waits until so many notices were sent, and returns the buttons of the last one. */
  const notices = (count: number) =>
    Effect.repeat(
      Effect.sync(() => ntfy.published),
      {
        until: (all) => all.length >= count,
        schedule: Schedule.spaced("20 millis")
      }
    ).pipe(Effect.map((all) => all[count - 1]!))
  return { ...ntfy, log, listening, events, notices, state: own(command("w", { _tag: "ReportClaim", message: null })) }
})
const faultsOf = (events: ReadonlyArray<WatchEvent>) =>
  events.flatMap((event) => (event._tag === "PhoneWordRefused" ? [event.fault] : []))
const textOf = (events: ReadonlyArray<WatchEvent>) => JSON.stringify(events)

describe("behaviour#answers-from-a-phone", () => {
  it("a notice that needs a person offers the words that help there, the safest first, and no other notice does", () => {
    const hold = Event.HoldStarted.make({ at, byAgent: true })
    for (const [history, words] of [
      [closed.slice(0, 2), ["retry", "done"]],
      [[awaited], ["hold", "done"]],
      [[Event.ConductorIdle.make({ at, watcher: 1, since: at, again: false })], ["hold", "done"]],
      [[hold], ["go"]],
      [[hold, died()], ["go"]],
      [[died()], []],
      [[examples.WaitStarted], []],
      [[{ ...examples.CeilingReached, then: "withhold" } as const], []],
      [[Event.ConductorCompleted.make({ at, by: "operator" })], []]
    ] as const) {
      const before = [...watching, ...history.slice(0, -1)].reduce(episodeAfter, noEpisode)
      const event = history.at(-1)!
      const notice = noticeOf("w", event, before)
      assert.isDefined(notice, event._tag)
      assert.deepStrictEqual(
        choicesOf(notice!, episodeAfter(before, event).watch).map(({ word }) => word),
        [...words],
        event._tag
      )
    }
  })
  it.live("a press of a notice's button is that word, once, and its secret is in the notice alone", () =>
    Effect.gen(function* () {
      const { events, listening, notices, url } = yield* phoned(closed)
      yield* Effect.forkScoped(listening)
      const { actions = [], message } = yield* notices(1)
      assert.deepStrictEqual(
        actions.map(({ label }) => label),
        ["Retry", "Done"]
      )
      const [retry, done] = actions as [PublishedAction, PublishedAction]
      assert.match(retry.url, new RegExp(`^${url}/souffleur-[0-9a-f]{40}$`, "u"))
      const { secret } = JSON.parse(retry.body)
      assert.match(secret, /^[0-9a-f]{64}$/u)
      assert.notInclude(JSON.stringify(actions), ntfyToken, "who reads the notice gets no token")
      assert.notInclude(message, secret)
      const offered = (yield* events(1))[0]
      assert.deepInclude(offered, { _tag: "ButtonsOffered", of: watching.length + closed.length, channel: "ntfy" })
      assert.include(textOf([offered!]), yield* digestOf(secret))
      assert.strictEqual(yield* pressButton(retry), 200)
      const taken = yield* events(4)
      assert.deepStrictEqual(
        taken.map(({ _tag }) => _tag),
        ["ButtonsOffered", "PhoneWordTaken", "RecoveryRetried", "RecoveryStarted"]
      )
      assert.deepInclude(taken[2], { by: "phone" })
      // Replayed, twice at once, of the notice's other button, and with another word.
      yield* Effect.all([pressButton(retry), pressButton(retry)], { concurrency: 2 })
      yield* events(6)
      yield* pressButton(done)
      yield* events(7)
      yield* pressButton({ ...done, body: JSON.stringify({ ...JSON.parse(done.body), word: "hold" }) })
      const all = yield* events(8)
      assert.deepStrictEqual(faultsOf(all), ["repeated", "repeated", "passed", "changed"])
      assert.notInclude(textOf(all), secret)
      // Who pressed in good faith is told.
      assert.include((yield* notices(2)).message, "what its notice told of has passed")
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.live("garbage, huge and forged messages have no effect, and fill no log", () =>
    Effect.gen(function* () {
      const { deliver: say, events, listening, notices } = yield* phoned(closed)
      yield* Effect.forkScoped(listening)
      const [retry] = (yield* notices(1)).actions as [PublishedAction]
      const topic = retry.url.slice(retry.url.lastIndexOf("/") + 1)
      say(topic, "x".repeat(100_000))
      say(topic, `{"word":"retry","secret":"${"0".repeat(64)}"}`)
      say(topic, `{"word":"stop","secret":"${JSON.parse(retry.body).secret}"}`)
      for (let n = 0; n < 30; n++) say(topic, `garbage ${n}`)
      yield* events(11)
      // A person's press comes through behind all of it.
      yield* pressButton(retry)
      const all = yield* events(14)
      assert.deepStrictEqual(faultsOf(all).slice(0, 3), ["too long", "unknown", "garbled"])
      assert.lengthOf(faultsOf(all), 10)
      assert.include(
        all.map(({ _tag }) => _tag),
        "RecoveryRetried"
      )
      assert.notInclude(textOf(all), "garbage")
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.live("a press while no souffleur lived is heard by the next one, and by no third one again", () =>
    Effect.gen(function* () {
      const { asked, events, listening, log, notices } = yield* phoned([awaited])
      const [hold] = (yield* notices(1)).actions as [PublishedAction]
      assert.deepStrictEqual(asked, [], "nobody listens yet")
      yield* pressButton(hold)
      yield* pressButton(hold)
      const next = yield* Effect.forkChild(listening)
      const all = yield* events(4)
      yield* Fiber.interrupt(next)
      assert.deepStrictEqual(
        all.map(({ _tag }) => _tag),
        ["ButtonsOffered", "PhoneWordTaken", "HoldStarted", "PhoneWordRefused"]
      )
      const third = yield* Effect.forkChild(listening)
      yield* Effect.repeat(
        Effect.sync(() => asked.length),
        { until: (count) => count > 1, schedule: Schedule.spaced("20 millis") }
      )
      yield* Effect.sleep("200 millis")
      yield* Fiber.interrupt(third)
      const last = all.at(-1)
      assert.isTrue(last?._tag === "PhoneWordRefused" && asked.at(-1)?.endsWith(`?since=${last.message}`))
      assert.lengthOf(yield* log.read("w", watching.length + 1), 4)
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.live("nothing is listened to without a button that counts, and a public topic gets none", () =>
    Effect.gen(function* () {
      const quiet = yield* phoned([])
      const fiber = yield* Effect.forkChild(quiet.listening)
      yield* Effect.sleep("300 millis")
      assert.deepStrictEqual(quiet.asked, [])
      yield* quiet.log.append("w", watching.length, [awaited])
      assert.lengthOf((yield* quiet.notices(1)).actions ?? [], 2)
      yield* Effect.repeat(
        Effect.sync(() => quiet.asked.length),
        { until: (count) => count > 0, schedule: Schedule.spaced("20 millis") }
      )
      yield* Fiber.interrupt(fiber)
      // A token that nobody made is none.
      const open = yield* phoned([awaited], "tk_1")
      yield* Effect.timeoutOption(open.listening, "1 second")
      assert.deepStrictEqual([open.asked, yield* open.events(0)], [[], []])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
