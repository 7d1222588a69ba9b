import type { Seed } from "../simulation/Seed.ts"
import { bent, mangled, number, run, scalar, some, time, today, torn, tree, uuid, word } from "./Hostile.ts"

type Json = Readonly<Record<string, unknown>>

const tools = [
  "Bash",
  "Edit",
  "Write",
  "Read",
  "AskUserQuestion",
  "ExitPlanMode",
  "mcp__souffleur__heartbeat",
  "constructor",
  "__proto__"
]
const models = [
  "claude-opus-5-5",
  "claude-sonnet-4-5-20250929",
  "claude-x[1m]",
  "<synthetic>",
  "constructor",
  "__proto__",
  "toString"
]
const at = (seed: Seed, now: number): string =>
  seed.chance(0.7) ? new Date(now - seed.between(0, 600_000)).toISOString() : time(seed)
const odd = (seed: Seed, usual: unknown): unknown =>
  seed.chance(0.6) ? usual : seed.chance(0.8) ? number(seed) : scalar(seed)

const text = (seed: Seed): string =>
  seed.pick<() => string>([
    () => word(seed),
    () => run(seed),
    () => `## User\n\n${word(seed)}`,
    () => `<!-- compact_boundary nonce=${"0".repeat(32)} -->`,
    () => "```\n".repeat(seed.between(0, 30)),
    () => `Hand-off opera-0001-g2-launch-1\n${word(seed)}`,
    () => `<local-command-stdout>${word(seed)}`
  ])()

const block = (seed: Seed): unknown =>
  seed.pick<() => unknown>([
    () => ({ type: "text", text: text(seed) }),
    () => ({
      type: "tool_use",
      id: odd(seed, `t${seed.between(0, 3)}`),
      name: seed.chance(0.8) ? seed.pick(tools) : scalar(seed),
      input: seed.chance(0.7) ? { timeout: odd(seed, 120_000), file_path: word(seed), command: text(seed) } : tree(seed)
    }),
    () => ({
      type: "tool_result",
      tool_use_id: odd(seed, `t${seed.between(0, 3)}`),
      content: seed.chance(0.5)
        ? text(seed)
        : seed.chance(0.5)
          ? [{ type: "text", text: text(seed) }, tree(seed, 2)]
          : tree(seed),
      is_error: seed.pick([undefined, true, "x"])
    }),
    () => ({
      type: seed.pick(["image", "document", "thinking", "server_tool_use", "x_tool_result"]),
      source: tree(seed, 2),
      title: scalar(seed)
    }),
    () => tree(seed, 3)
  ])()

const usage = (seed: Seed): unknown =>
  seed.chance(0.1)
    ? tree(seed, 2)
    : {
        input_tokens: odd(seed, 1200),
        output_tokens: odd(seed, 300),
        cache_read_input_tokens: odd(seed, 90_000),
        cache_creation_input_tokens: odd(seed, 0)
      }

const reset = (seed: Seed, now: number): Json =>
  seed.pick<() => Json>([
    () => ({}),
    () => ({ quotaLimits: { resetsAt: odd(seed, now / 1000 + 3600) } }),
    () => ({ error: { rateLimits: { resetsAt: odd(seed, now / 1000 + 3600) } } }),
    () => ({ apiErrorParams: { rate_limit_info: { resetsAt: odd(seed, now / 1000 + 3600) } } })
  ])()

/** Records as the agent writes them, with words and numbers that it never would. */
const kinds: ReadonlyArray<(seed: Seed, now: number) => Json> = [
  (seed) => ({
    type: "user",
    message: { role: "user", content: seed.chance(0.5) ? text(seed) : some(seed, 3, () => block(seed)) }
  }),
  (seed) => ({
    type: "assistant",
    requestedModel: seed.pick([undefined, ...models]),
    message: {
      id: seed.pick(["m1", "m2", scalar(seed)]),
      model: seed.pick(models),
      stop_reason: seed.pick(["end_turn", "tool_use", null]),
      content: some(seed, 4, () => block(seed)),
      usage: usage(seed)
    }
  }),
  (seed, now) => ({
    type: "assistant",
    isApiErrorMessage: true,
    error: seed.pick(["rate_limit", "overloaded", "server_error", "invalid_request", "billing_error", "x"]),
    apiErrorStatus: odd(seed, 429),
    errorDetails: seed.pick([undefined, '{"message": "prompt is too long"}', text(seed)]),
    message: { id: "e", model: "<synthetic>", content: [{ type: "text", text: text(seed) }] },
    ...reset(seed, now)
  }),
  (seed, now) => ({
    type: "system",
    subtype: "api_error",
    retryAttempt: odd(seed, 3),
    maxRetries: odd(seed, 10),
    retryInMs: odd(seed, 5000),
    ...reset(seed, now)
  }),
  (seed) => ({
    type: "system",
    subtype: "compact_boundary",
    compactMetadata: seed.chance(0.6) ? { trigger: "manual", preTokens: number(seed) } : tree(seed, 2)
  }),
  (seed) => ({ type: "user", isCompactSummary: true, message: { role: "user", content: text(seed) } }),
  (seed) => ({
    type: "attachment",
    attachment: { type: seed.pick(["file", "queued_command"]), prompt: text(seed), displayPath: scalar(seed) }
  }),
  (seed) => ({ type: "system", subtype: seed.pick(["local_command", "turn_duration", "x"]), content: text(seed) })
]

/** Makes a record. It says that it was written at about `now`, epoch ms. */
export const record = (seed: Seed, now = today): Json => ({
  ...seed.pick(kinds)(seed, now),
  timestamp: at(seed, now),
  sessionId: seed.pick(["abc", word(seed)]),
  cwd: seed.pick(["/work/opera", word(seed)]),
  version: seed.pick(["2.1.329", word(seed)]),
  isSidechain: seed.pick([undefined, undefined, undefined, true, "x"]),
  isMeta: seed.pick([undefined, undefined, undefined, true])
})

const line = (seed: Seed): string => {
  const made = record(seed)
  if (seed.chance(0.6)) return JSON.stringify(made)
  return seed.pick<() => string>([
    () => JSON.stringify(bent(seed, made)),
    () => mangled(seed, JSON.stringify(made)),
    () => JSON.stringify(tree(seed)),
    () => "\0".repeat(seed.between(0, 1000)),
    () => "[".repeat(seed.between(0, 5000)),
    () => '{"a":'.repeat(seed.between(0, 3000)),
    () => `{"type":"user","message":{"content":"\\ud800\\udfff\\ud800"}}`,
    () => `{"type":"assistant","message":{"content":"${"x".repeat(seed.chance(0.01) ? 10_500_000 : 10_000)}"}}`,
    () => run(seed)
  ])()
}

/** Makes a session file of whole lines, torn lines, and lines that are no records. */
export const sessionFile = (seed: Seed, most = 12): Uint8Array => {
  const newline = seed.pick(["\n", "\n", "\n", "\r\n"])
  return torn(seed, some(seed, most, () => line(seed)).join(newline) + seed.pick([newline, ""]))
}

export const sessionId = (seed: Seed): string => (seed.chance(0.6) ? uuid(seed) : word(seed))
