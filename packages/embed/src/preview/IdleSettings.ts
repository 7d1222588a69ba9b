import type { AgentKind, ResolvedSettings, Watch } from "@souffleur/domain"

/** Names each ceiling of use that is set and does nothing here, as a sentence. A plain command tells of no use. */
export const idleSettings = (
  { recordsDollars, title }: Pick<AgentKind, "recordsDollars" | "title">,
  kind: Watch["kind"],
  { maxDollars, maxTokens }: Pick<ResolvedSettings, "maxDollars" | "maxTokens">
): ReadonlyArray<string> => {
  const of = kind === "command" ? "a plain command" : title
  return [
    ...(maxTokens !== null && kind === "command" ? [`MAX_TOKENS does nothing for ${of}: it tells of no tokens`] : []),
    ...(maxDollars !== null && (kind === "command" || !recordsDollars)
      ? [`MAX_DOLLARS does nothing for ${of}: it records no cost`]
      : [])
  ]
}
