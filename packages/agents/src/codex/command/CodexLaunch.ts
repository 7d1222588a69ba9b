import type { AgentOrder } from "@souffleur/domain"
import type { AgentOptions } from "@souffleur/process"
import { Effect, FileSystem } from "effect"
import { argsWithModel, type ModelFlags } from "../../kit/command/ChosenModel.ts"
import { completeCommand } from "../../kit/command/CompleteCommand.ts"
import { codexMarks } from "./CodexCommand.ts"
import { unapprovedHooks } from "./HookTrust.ts"
import {
  anyFolder,
  asksCodexRecords,
  ceilingOf,
  codexRecords,
  codexTakesForm,
  formFlag,
  ownProcess,
  sandboxFlag
} from "./CodexFlags.ts"

const variables = {
  names: ["CODEX_HOME", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN"],
  prefixes: ["OPENAI_", "AZURE_OPENAI_"],
  marks: codexMarks
}

/**
 * Makes a session compact in place: the model reads it once the conversation before it is compacted. It is the last
 * argument, by which its process is known.
 */
export const codexCompactPrompt = "The conversation was compacted. Answer with one word, and use no tool."

/** Holds an agent to looking: its commands write nothing, whatever the ceiling is. */
const looking = [sandboxFlag, "read-only"]
/** Compacts whatever the session has in use. Its answer changes nothing. */
const compacting = [...looking, "-c", "model_auto_compact_token_limit=1"]

/** A resumed session would fall to the model of its settings. */
const modelFlags: ModelFlags = {
  model: ["-m", "--model"],
  effort: { words: (effort) => ["-c", `model_reasoning_effort=${quoted(effort)}`], shared: true }
}

const quoted = (text: string): string => JSON.stringify(text)

/**
 * Returns the flags by which an interactive Codex asks nothing before its first turn. It asks whether to trust its
 * folder. A folder without settings of Codex has nothing to trust, and the highest permission allows everything anyway.
 * It asks for a review of hooks that are new or have changed. So hooks are left out until a person has approved each.
 */
const unasked = Effect.fnUntraced(function* (agentDir: string, { folder, permission }: AgentOrder) {
  const fs = yield* FileSystem.FileSystem
  const settings = yield* Effect.orElseSucceed(fs.readFileString(`${agentDir}/config.toml`), () => "")
  const isApproved = settings.includes("trusted_hash")
  // A folder that cannot be read may have settings.
  const hasNone = (place: string) =>
    fs.readDirectory(place).pipe(
      Effect.map((files) => files.length === 0),
      Effect.catchTag("PlatformError", ({ reason }) => Effect.succeed(reason._tag === "NotFound"))
    )
  const trusted = folder !== undefined && (permission === "bypassPermissions" || (yield* hasNone(`${folder}/.codex`)))
  return [
    "-c",
    "check_for_update_on_startup=false",
    ...(trusted ? ["-c", `projects={${quoted(folder)}={trust_level="trusted"}}`] : []),
    ...(isApproved && (yield* unapprovedHooks(agentDir)).length === 0 ? [] : ["--disable", "hooks"])
  ]
})

/**
 * Builds `codex exec <flags> -s <sandbox> [--json] [resume ID] -`, with the prompt on standard input. A resumed session
 * would fall to `read-only` without its sandbox. It takes no window, since no person can type to it. A command of an
 * interactive Codex that is in no print mode is `codex --no-daemon <flags> -s <sandbox> -a never … [resume ID] [--
 * PROMPT]`. A session compacts by `codex exec` everywhere. Fails with `AgentNotFound` where there is no such program.
 */
export const codexCommand = Effect.fn("codexCommand")(function* (options: AgentOptions, order: AgentOrder) {
  const { agentCommand, agentDir } = options
  const args = yield* argsWithModel(agentCommand, order, modelFlags)
  const { form, heldTo, looks = false, permission, print, prompt, session } = order
  const compacts = prompt === codexCompactPrompt
  const resumed = session._tag === "Resume" ? ["resume", session.sessionId] : []
  const behind = ["--", prompt]
  const ceiling = looks || heldTo !== undefined ? looking : ceilingOf(permission)
  const interactive = !print && !compacts && args[0] === ownProcess
  return yield* completeCommand(options, variables, {
    args: interactive
      ? [
          ...args,
          ...ceiling,
          "-a",
          "never",
          ...(yield* unasked(agentDir, order)),
          ...resumed,
          ...(prompt === "" ? [] : behind)
        ]
      : [
          "exec",
          ...args.filter((arg) => arg !== ownProcess),
          ...(compacts ? compacting : ceiling),
          // Its session has worked in that folder already, in a window perhaps, where Codex asks for no repository.
          ...(session._tag === "Resume" && !args.includes(anyFolder) ? [anyFolder] : []),
          ...(asksCodexRecords(args) ? [] : [codexRecords]),
          ...(form === undefined || compacts || !codexTakesForm(args) ? [] : [formFlag, form.file]),
          ...resumed,
          ...(compacts ? behind : ["-"])
        ],
    ...(interactive ? { window: true } : compacts ? {} : { input: prompt })
  })
})
