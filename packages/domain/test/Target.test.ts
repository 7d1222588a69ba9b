import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parsePid, parseSessionId, parseTarget } from "../src/index.ts"

describe("behaviour#naming-a-conductor", () => {
  describe("parseTarget", () => {
    it("the literal is read in either order, anywhere in a text", () => {
      const expected = { pid: 123, sessionId: "8c1d2f60-aa" }
      for (const text of [
        "PID:123 SESSION_ID:8c1d2f60-aa",
        "SESSION_ID:8c1d2f60-aa PID:123",
        "please watch\n\tPID:123\nSESSION_ID:8c1d2f60-aa  thanks"
      ])
        assert.deepStrictEqual(Result.getOrThrow(parseTarget(text)), expected, text)
    })
    it("a text that names no Conductor, or more than one, is refused", () => {
      for (const text of [
        "",
        "PID:123",
        "SESSION_ID:abc",
        "PID:123 PID:124 SESSION_ID:abc",
        "PID:123 SESSION_ID:abc SESSION_ID:abd",
        "PID: 123 SESSION_ID:abc",
        "pid:123 session_id:abc"
      ])
        assert.isTrue(Result.isFailure(parseTarget(text)), text)
    })
  })

  describe("parsePid", () => {
    it("a pid is a whole number from 2 to 4194304", () => {
      assert.deepStrictEqual(parsePid("2"), Result.succeed(2))
      assert.deepStrictEqual(parsePid("4194304"), Result.succeed(4_194_304))
      for (const text of ["0", "1", "-5", "4194305", "9999999", "1e3", "0x10", "12.0", " 12", "012", ""])
        assert.isTrue(Result.isFailure(parsePid(text)), text)
    })
    it("pid 1 is refused as the machine's first process", () => {
      const one = parsePid("1")
      assert.include(Result.isFailure(one) ? one.failure.message : "", "first process")
    })
  })

  describe("parseSessionId", () => {
    it("a session id is safe in a file's name, and never a flag or a pattern", () => {
      for (const text of ["a", "8c1d2f60-1111-4222-8333-444455556666", "s_1", "x".repeat(128)])
        assert.deepStrictEqual(parseSessionId(text), Result.succeed(text))
      for (const text of ["", "-a", "_a", "../a", "a/b", "a.b", "a*", "a b", "a\n", "ä", "x".repeat(129)])
        assert.isTrue(Result.isFailure(parseSessionId(text)), text)
    })
    it("a refusal quotes no more than the beginning of a session id", () => {
      const refused = parseSessionId("/".repeat(10_000))
      assert.isBelow(Result.isFailure(refused) ? refused.failure.message.length : Infinity, 250)
    })
  })
})
