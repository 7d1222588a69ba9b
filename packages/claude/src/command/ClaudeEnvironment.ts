import type { AgentIdentity, Variables } from "@souffleur/domain"
import { agentPid } from "../hooks/HookInput.ts"

/**
 * Variables of souffleur's own environment that a launched agent may see. souffleur may itself have been started by an
 * agent, whose marks would change the new agent. An inherited `CLAUDE_CODE_CHILD_SESSION` turns session saving off.
 */
const names = new Set(
  [
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM TZ TMPDIR SSH_AUTH_SOCK",
    "http_proxy https_proxy no_proxy all_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY",
    "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR",
    // The folder of our own log, because the agent may call "souffleur done".
    "SOUFFLEUR_STATE_DIR",
    "CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_TMPDIR CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"
  ].flatMap((line) => line.split(" "))
)
const prefixes = ["LC_", "XDG_", "ANTHROPIC_", "CLAUDE_CODE_USE_", "DISABLE_"]

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
export const marks = new Set([
  "CLAUDECODE",
  "CLAUDE_PID",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_ENTRYPOINT"
])

/**
 * Identifies the agent that runs a process with these variables, which it gives to its tools and hooks (spec:
 * claude-code#environment).
 */
export const identity = (variables: Variables): AgentIdentity => ({
  sessionId: variables["CLAUDE_CODE_SESSION_ID"] ?? "",
  pid: agentPid(variables),
  project: variables["CLAUDE_PROJECT_DIR"] ?? "",
  mark: ["CLAUDE_CODE_SESSION_ID", "CLAUDECODE"].find((name) => (variables[name] ?? "") !== "")
})

/** Makes the environment of an agent, from a short allow list and the names that the user added. */
export const agentEnvironment = (ours: Variables, also: ReadonlyArray<string>): Readonly<Record<string, string>> => {
  const allowed = new Set([...names, ...also])
  const beginnings = [
    ...prefixes,
    ...Object.keys(clouds).flatMap((cloud) => (ours[cloud] ? (clouds[cloud] ?? []) : []))
  ]
  return Object.fromEntries(
    Object.entries(ours).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        !marks.has(entry[0]) &&
        (allowed.has(entry[0]) || beginnings.some((beginning) => entry[0].startsWith(beginning)))
    )
  )
}
