import { type Condition, type Signs, toolAllowance, type Verdict } from "@souffleur/domain"

/**
 * Why a Conductor with an old heartbeat is left alone, and until when, epoch ms. `Infinity`: until a person has
 * answered.
 */
export interface Excuse {
  readonly because: string
  readonly until: number
}

/** Returns the ms of a tool. One without a limit ends with its verdict. */
const allowed = (signs: Pick<Signs, "now" | "session" | "workedAt">, stallAfter: number): number => {
  const turn = signs.session?.turn
  return turn?._tag === "Tool" && turn.limit === undefined ? Infinity : (toolAllowance(signs, stallAfter)?.millis ?? 0)
}

/**
 * Finds the excuse of a silent heartbeat (spec: behaviour#excuses). It is a retry or a running tool in the session
 * file, or an awaited person. A call to the model is no excuse. A tool's time begins when a person has allowed it.
 * `undefined`: there is no excuse.
 */
export const excuseOf = ({
  answeredAt,
  now,
  process,
  signs,
  stallAfter,
  verdict
}: {
  readonly answeredAt: number
  readonly now: number
  readonly process: Condition | undefined
  readonly signs: Pick<Signs, "children" | "now" | "session" | "workedAt">
  readonly stallAfter: number
  readonly verdict: Verdict
}): Excuse | undefined => {
  const turn = signs.session?.turn
  if (process !== "running") return undefined
  if (verdict._tag === "Waiting") return { because: `it waits for a person: ${verdict.for}`, until: Infinity }
  if (verdict._tag !== "Held" || turn === undefined) return undefined
  const { because } = verdict
  const until =
    turn._tag === "Retrying"
      ? Math.min(verdict.until, turn.nextAt + stallAfter)
      : turn._tag === "Tool" && !(turn.spawns && signs.children === 0)
        ? Math.min(verdict.until, Math.max(turn.at, answeredAt) + allowed(signs, stallAfter))
        : now
  return until > now ? { because, until } : undefined
}
