import type { Variables } from "@souffleur/domain"
import { wordSet } from "./WordSet.ts"

/**
 * Variables of souffleur's own environment that every agent may see. souffleur may itself have been started by an
 * agent, whose marks would change the new agent.
 */
const names = wordSet(
  "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM TZ TMPDIR SSH_AUTH_SOCK",
  "http_proxy https_proxy no_proxy all_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY",
  "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR",
  // The folder of our own log, because the agent may call "souffleur done".
  "SOUFFLEUR_STATE_DIR"
)
const prefixes = ["LC_", "XDG_"]

/** Makes the environment of an agent: what every agent may see, its own names and beginnings, and never its marks. */
export const agentVariables = (
  ours: Variables,
  own: {
    readonly names: ReadonlyArray<string>
    readonly prefixes: ReadonlyArray<string>
    readonly marks: ReadonlySet<string>
  }
): Readonly<Record<string, string>> => {
  const beginnings = [...prefixes, ...own.prefixes]
  return Object.fromEntries(
    Object.entries(ours).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        !own.marks.has(entry[0]) &&
        (names.has(entry[0]) ||
          own.names.includes(entry[0]) ||
          beginnings.some((beginning) => entry[0].startsWith(beginning)))
    )
  )
}
