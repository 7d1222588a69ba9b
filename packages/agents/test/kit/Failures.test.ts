import { assert, describe, it } from "@effect/vitest"
import { failureReason, saidEnd } from "../../src/kit/said/Failures.ts"

const reasonOf = (...args: Parameters<typeof saidEnd>) => {
  const said = saidEnd(...args)
  return said?._tag === "Failed" ? said.reason : said?._tag
}

describe("reasons#by-the-services-words", () => {
  it("a login that is missing or over is no broken connection, though no status comes with it", () => {
    for (const words of [
      "No API key for provider: anthropic",
      "OAuth refresh failed for openai-codex",
      "Kimi Code token refresh unauthorized (status 401)",
      "Provider xai: no authentication method configured.",
      '{"error":"invalid_grant"}'
    ])
      assert.strictEqual(failureReason(undefined, words), "login", words)
    assert.strictEqual(failureReason(undefined, "fetch failed"), "outage")
    assert.strictEqual(failureReason(400, "Incorrect API key provided"), "login")
    assert.strictEqual(failureReason(503, "OAuth refresh failed"), "outage")
  })
  it("a word that says nothing is read further, and a bill is no limit that ends by itself", () => {
    assert.strictEqual(reasonOf("usage-limit", "Quota exceeded. Check your plan and billing details."), "account")
    assert.strictEqual(reasonOf("usage-limit", "You've hit your usage limit."), "usage-limit")
    assert.strictEqual(reasonOf("other", "your input exceeds the context window of this model"), "prompt-too-long")
    assert.strictEqual(reasonOf(undefined, "I am a teapot"), "other")
  })
})
