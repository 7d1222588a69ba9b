import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  Event,
  highest,
  isLaunchOf,
  JobId,
  labelsFrom,
  leastPin,
  noNote,
  type Permission,
  plain,
  titleFrom,
  type WatchIntent
} from "../src/index.ts"
import { at, given, opened, preparation, started, watching } from "./Given.ts"

const operator = { _tag: "Operator" } as const
const pin = { ...leastPin, ceiling: "bypassPermissions" } as const
const permitted = (permission: Permission | null) =>
  watching.with(0, Event.WatchOpened.make({ ...opened, pin, note: { ...noNote, permission } }))
const bypassing: WatchIntent = {
  ...preparation,
  _tag: "PrepareLaunch",
  requested: "bypassPermissions",
  effective: "bypassPermissions"
}

describe("behaviour#jobs-of-a-caller", () => {
  it("no launch is above the permission of its job, whatever a person trusts of the config file", () => {
    const trusted = Event.TrustGiven.make({ at, pin, by: "config" })
    for (const events of [permitted("acceptEdits"), [...permitted("acceptEdits"), trusted]]) {
      assert.strictEqual(highest(given(...events).watch), "acceptEdits")
      given(...events, started(1))
        .when(bypassing)
        .thenRefused("never")
    }
    for (const permission of ["bypassPermissions", null] as const)
      given(...permitted(permission), started(1))
        .when(bypassing)
        .thenTags("LaunchPrepared")
  })
  it("the first launch is not above it either", () => {
    const launch = {
      launchId: "l",
      digest: "d",
      requested: "bypassPermissions",
      effective: "bypassPermissions"
    } as const
    const open: WatchIntent = {
      _tag: "Open",
      project: "/p",
      comms: null,
      pid: 0,
      sessionId: "s",
      observe: false,
      pin,
      note: { ...noNote, permission: "acceptEdits" },
      run: { kind: "agent", launch }
    }
    given().when(open).thenRefused("never")
  })
  it("a person's ceiling for that watch outranks it", () => {
    const events = given(...permitted("acceptEdits"))
      .when({ _tag: "Retry", permission: "bypassPermissions" }, operator)
      .thenTags("TrustGiven")
    assert.strictEqual(highest(given(...permitted("acceptEdits"), ...events).watch), "bypassPermissions")
  })
  it.prop("a title is one line that no terminal obeys, and is cut", [Schema.String], ([text]) => {
    const title = titleFrom(text)
    assert.strictEqual(plain(title), title)
    assert.isAtMost(title.length, 101)
    assert.strictEqual(titleFrom(` ${text}\n`), title)
  })
  it("a title keeps its words, and loses what a terminal obeys and what is too long", () => {
    assert.strictEqual(titleFrom("  The\n nightly\trefactor "), "The nightly refactor")
    assert.strictEqual(titleFrom("\u001b[2J\u202edlo"), "\\u001b[2J\\u202edlo")
    assert.strictEqual(titleFrom("x".repeat(1e6)), `${"x".repeat(100)}…`)
    assert.strictEqual(titleFrom(" \n"), "")
  })
  it("an id is such that no launch of it can be taken for one of another watch", () => {
    const isId = Schema.is(JobId)
    for (const id of ["a", "4f7c0c0e-5d0f-4d7e-9f6c-2f3c3a1d9f10", "Job-go", "x".repeat(100)])
      assert.isTrue(isId(id), id)
    for (const id of ["", "-a", "a_b", "a/b", "a b", "ä", "job-g1", "job-g1-launch-1", "a\n", "x".repeat(101)])
      assert.isFalse(isId(id), id)
    assert.isTrue(isLaunchOf("job", "job-g1-launch-1"))
    assert.isFalse(isLaunchOf("job", "job-go-g1-launch-1"))
  })
  it("labels have bounded names and values of one line", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, ""]))
    for (const labels of [{}, { "app.example/ticket": "REM-17" }, many(20), { a: "x".repeat(200) }])
      assert.deepStrictEqual(labelsFrom(labels), Result.succeed(labels))
    for (const labels of [many(21), { "a b": "" }, { "": "" }, { a: "x\ny" }, { a: "\u202e" }, { a: "x".repeat(201) }])
      assert.isTrue(Result.isFailure(labelsFrom(labels)), JSON.stringify(labels))
  })
})
