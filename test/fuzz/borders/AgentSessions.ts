import { claudeCode, codex, copilot, pi, qwen } from "@souffleur/agents"
import { Agent } from "@souffleur/domain"
import { Processes as HostProcesses } from "@souffleur/node"
import type { AgentPackage } from "@souffleur/process"
import { Effect, Exit, Layer, Option } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { utc } from "../../../packages/domain/src/Time.ts"
import { html, written } from "../../../packages/page/src/Html.ts"
import { saidItems } from "../../../packages/page/src/shown/SaidItems.ts"
import type { Seed } from "../../simulation/Seed.ts"
import { border, holds, type Place } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { isOwnMarkup } from "../Markup.ts"
import { bent, bytes, mangled, torn } from "../Hostile.ts"
import { type Host, settle } from "../Settle.ts"

const id = "0199aaaa-bbbb-7ccc-8ddd-eeeeffff0000"

/** The agents whose session is one file of lines, with the place of that file in their folder. */
const agents: ReadonlyArray<{ readonly kind: AgentPackage; readonly file: string }> = [
  { kind: claudeCode, file: `projects/-p/${id}.jsonl` },
  { kind: codex, file: `sessions/2026/11/01/rollout-2026-11-01T00-00-00-${id}.jsonl` },
  { kind: pi, file: `sessions/--p--/2026-11-01T00-00-00-000Z_${id}.jsonl` },
  { kind: qwen, file: `projects/-p/chats/${id}.jsonl` },
  { kind: copilot, file: `session-state/${id}/events.jsonl` }
]

/** Records that the real agent wrote. */
const recorded = ({ program }: AgentPackage): ReadonlyArray<string> => {
  const folder = new URL(`../../../packages/agents/test/${program}/fixtures/`, import.meta.url)
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
}
const records = new Map(agents.map(({ kind }) => [kind.program, recorded(kind)]))

/** Draws a line of a session that was written by another program, or by one that was killed. */
const lineOf = (seed: Seed, line: string): ReadonlyArray<string> => {
  if (seed.chance(0.04)) return []
  if (seed.chance(0.03)) return [line, line]
  if (seed.chance(0.03)) return [mangled(seed, line)]
  if (seed.chance(0.01)) return ["[".repeat(20_000)]
  return [seed.chance(0.4) ? JSON.stringify(bent(seed, JSON.parse(line), 0.03)) : line]
}

interface Drawn {
  readonly agent: (typeof agents)[number]
  readonly data: Uint8Array
}

/** Asks the agent's own reader about the session. An answer of one of its own errors is one. */
const asked = <A>(
  { agent: { file, kind }, data }: Drawn,
  place: Place,
  ask: (agent: Agent["Service"]) => Effect.Effect<A, unknown, Host>
) => {
  const home = homeIn(place.folder)
  home.write(join("agent", file), data)
  const layer = kind.layer({
    agentDir: join(place.folder, "agent"),
    agentCommand: { program: kind.program, args: [] },
    environment: { PATH: "/bin" }
  })
  return settle(Agent.use(ask).pipe(Effect.provide(Layer.provide(layer, HostProcesses.layer))))
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0
/** The last time that is told of, the end of the year 9999. */
const isTime = (at: number) => at >= -8.64e15 && at < 253_402_300_800_000

/** Checks that every reader of another agent's session file gives an answer to it. */
export const agentSessions = border("agent-sessions", {
  share: 2,
  within: 5000,
  draw: (seed): Drawn => {
    const agent = seed.pick(agents)
    const lines = seed.pick(records.get(agent.kind.program)!).trimEnd().split("\n")
    const text = lines.flatMap((line) => lineOf(seed, line)).join("\n")
    return { agent, data: seed.chance(0.04) ? bytes(seed) : torn(seed, `${text}\n`) }
  },
  checks: {
    signs: async (drawn, place) => {
      const signs = await asked(drawn, place, (agent) => agent.signs(id))
      if (Exit.isFailure(signs) || Option.isNone(signs.value)) return
      const { context, turn } = signs.value.value
      holds(context === undefined || isCount(context.tokens), "a context that is no count", context)
      holds(turn === undefined || isTime(turn.at), "a turn at no time", turn)
      const resetsAt = turn?._tag === "Failed" ? turn.resetsAt : undefined
      holds(resetsAt === undefined || isTime(resetsAt), "a limit that ends at no time", turn)
    },
    "results and use": async (drawn, place) => {
      const results = await asked(drawn, place, (agent) => agent.toolResults([id]))
      holds(Exit.isFailure(results) || isCount(results.value), "results of tools that are no count", results)
      const spent = await asked(drawn, place, (agent) => agent.spent([id], 0))
      if (Exit.isFailure(spent)) return
      const { dollars, tokens } = spent.value
      holds(isCount(tokens), "tokens that are no count", tokens)
      holds(Number.isFinite(dollars) && dollars >= 0, "dollars that are no amount", dollars)
    },
    "hand-off, project and last answer": async (drawn, place) => {
      await asked(drawn, place, (agent) => agent.handoffTaken(id, "opera-0001-g2-launch-1"))
      await asked(drawn, place, (agent) => agent.projectOf(id))
      await asked(drawn, place, (agent) => agent.mode(id))
      const answer = await asked(drawn, place, (agent) => agent.lastAnswer(id))
      holds(Exit.isFailure(answer) || typeof answer.value === "string", "a last answer that is no text", answer)
    },
    "conversation on the page": async (drawn, place) => {
      const found = await asked(drawn, place, (agent) => agent.conversation?.(id) ?? Effect.succeedNone)
      if (Exit.isFailure(found) || Option.isNone(found.value)) return
      const { value: part } = found.value
      holds(isCount(part.from) && part.from <= part.to && part.to <= drawn.data.length, "a part at no place", part)
      holds(
        part.records.every(({ at }) => isTime(at)),
        "something said at no time",
        part.records
      )
      const items = saidItems({ ...part, session: 0, sessions: [id] }, "/p", { now: 0, zone: utc })
      isOwnMarkup(written(html`${items}`))
    },
    export: async (drawn, place) => {
      const out = join(place.folder, "export.md")
      const made = await asked(drawn, place, (agent) => agent.exportSession(id, out))
      if (Exit.isFailure(made)) return
      const text = readFileSync(out, "utf8")
      // oxlint-disable-next-line no-control-regex
      holds(!/[\0-\x08\x0b-\x1f\x7f]/u.test(text), "an export holds control characters")
    }
  }
})
