import type { AgentIdentity, Variables } from "@souffleur/domain"
import { wordSet } from "../../kit/command/WordSet.ts"
import { claudeLimitVariables } from "../settings/OwnLimits.ts"
import { claudeFlags } from "./ClaudeFlags.ts"
import { agentPid } from "../hooks/ClaudeHook.ts"

/** The variable that names the folder of Claude Code's own files. */
export const folderVariable = "CLAUDE_CONFIG_DIR"

/** Variables beside those of every agent. An inherited `CLAUDE_CODE_CHILD_SESSION` would turn session saving off. */
const names = [
  folderVariable,
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_TMPDIR",
  "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
  ...Object.keys(claudeFlags.capVariables ?? {}),
  ...claudeLimitVariables
]
const prefixes = ["ANTHROPIC_", "CLAUDE_CODE_USE_", "DISABLE_"]

/** Variables of a cloud that the user chose for Claude, with its credentials. */
const clouds: Readonly<Record<string, ReadonlyArray<string>>> = {
  CLAUDE_CODE_USE_BEDROCK: ["AWS_", "CLAUDE_CODE_SKIP_BEDROCK_AUTH"],
  CLAUDE_CODE_USE_VERTEX: [
    "GOOGLE_",
    "GCLOUD_PROJECT",
    "CLOUD_ML_REGION",
    "VERTEX_REGION_",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH"
  ],
  CLAUDE_CODE_USE_FOUNDRY: ["AZURE_", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH"]
}

/** Marks of a running session. They are never handed on, whatever the user allows. */
export const claudeMarks = wordSet(
  "CLAUDECODE CLAUDE_PID CLAUDE_CODE_SESSION_ID CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT"
)

/**
 * Identifies the agent that runs a process with these variables, which it gives to its tools and hooks (spec:
 * claude-code#environment).
 */
export const claudeIdentity = (variables: Variables): AgentIdentity => ({
  sessionId: variables["CLAUDE_CODE_SESSION_ID"] ?? "",
  pid: agentPid(variables),
  project: variables["CLAUDE_PROJECT_DIR"] ?? "",
  mark: ["CLAUDE_CODE_SESSION_ID", "CLAUDECODE"].find((name) => (variables[name] ?? "") !== "")
})

/** Returns the variables of Claude Code that a launch hands on, with the variables of whichever cloud is chosen. */
export const variablesOf = (ours: Variables) => ({
  // To the agent an empty folder is the one in which it works, and nobody means that.
  names: ours[folderVariable] === "" ? names.filter((name) => name !== folderVariable) : names,
  prefixes: [...prefixes, ...Object.keys(clouds).flatMap((cloud) => (ours[cloud] ? (clouds[cloud] ?? []) : []))],
  marks: claudeMarks
})
