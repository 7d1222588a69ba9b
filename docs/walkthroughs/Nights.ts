import { Clock, Effect } from "effect"
import { dirname } from "node:path"
import { claudeCode } from "../../test/agents/Versions.ts"
import { headless } from "../../test/claude/ClaudeStage.ts"
import { installedAgent } from "../../test/claude/Install.ts"
import type { Lab, Part } from "../../test/claude/Lab.ts"
import { limited, tooLong } from "../../test/claude/ModelEndpoint.ts"
import { bash, begin, checks, first, only, services, staged, waiting } from "../../test/claude/Watched.ts"
import type { Scenario } from "./Walkthrough.ts"

/** What happens once the agent waits in its first tool. */
type Happening = (lab: Lab, conductor: number) => Effect.Effect<void, unknown>
const killed: Happening = (_, conductor) => Effect.sync(() => process.kill(conductor, "SIGKILL"))
/** The tool ends, and the model has its say. */
const goesOn: Happening = (lab) => lab.write("go", "")

const isBegun = ({ said }: Parameters<Part>[0]) => said.some((text) => text.includes(begin))

/** Waits in a tool of the first life. */
const dies: Part = (asked) => Effect.succeed(isBegun(asked) ? bash(waiting) : checks(asked))

/** Meets a usage limit behind the first tool, which ends five seconds later. */
const meetsLimit: Part = (asked) =>
  asked.toolResult?.includes("finished") === true && asked.said.length === 0
    ? Effect.map(Clock.currentTimeMillis, (now) => limited(Math.ceil(now / 1000) + 5))
    : dies(asked)

/** No longer fits behind the first tool, and cannot be compacted either. */
const overflows: Part = (asked) =>
  Effect.succeed(
    asked.compaction || (asked.sessionId === first && asked.toolResult !== undefined)
      ? tooLong
      : asked.sessionId === first
        ? bash(waiting)
        : checks(asked)
  )

const night = (part: Part, happening: Happening, event: string): Scenario["play"] =>
  Effect.gen(function* () {
    const claude = yield* installedAgent(claudeCode)
    const { conductor, lab, souffleur } = yield* staged(claude, headless, part, "", {
      solo: true,
      account: "subscriber"
    })
    yield* happening(lab, conductor)
    yield* souffleur.exitCode
    const { revision, watch } = only(yield* lab.log, event)
    const lines = (...args: ReadonlyArray<string>) => Effect.map(lab.said(...args, "--utc"), (text) => text.split("\n"))
    const asked = (yield* lab.asked).filter(({ turn }) => turn).map(({ said }) => said.at(-1) ?? "")
    return {
      hidden: [
        [lab.options.env.SOUFFLEUR_STATE_DIR, "~/state"],
        [dirname(lab.home), "~"]
      ],
      rows: [],
      log: yield* lines("log"),
      prompts: asked.filter((words) => words.includes("Hand-off ")),
      why: yield* lines("why", String(watch), String(revision))
    }
  }).pipe(Effect.provide(services))

/** Three nights of the real Claude Code on a scripted model, watched without comms. */
export const nights: ReadonlyArray<Scenario> = [
  {
    name: "night-of-a-death",
    title: "The agent is killed at night",
    what: "Claude Code is killed within a tool, and its session is resumed.",
    play: night(dies, killed, "ConductorRelaunched")
  },
  {
    name: "night-of-a-limit",
    title: "The agent reaches its usage limit",
    what: "The account refuses the next turn until a time that it names.",
    play: night(meetsLimit, goesOn, "WaitStarted")
  },
  {
    name: "night-of-a-full-context",
    title: "The conversation no longer fits",
    what: "The model refuses the conversation as too long, and its compaction too.",
    play: night(overflows, goesOn, "ConductorRelaunched")
  }
]
