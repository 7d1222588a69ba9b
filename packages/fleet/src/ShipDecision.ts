import type { OtherMark } from "./FleetApi.ts"
import type { LogMark } from "./FleetEvent.ts"

/**
 * The next act of a host after the hub has named its own mark. `GoOn`: the hub has the same log up to there, so the
 * host ships the rest. `Forked`: two logs have this name, and nothing more is told (spec: fleet#forks).
 */
export type ShipDecision =
  | { readonly _tag: "GoOn"; readonly mark: LogMark }
  | { readonly _tag: "Forked"; readonly at: number }

/**
 * Compares the mark of the hub with this host's own log. `own`: the mark of the own log at the same position;
 * `undefined`: it has no event there. A lost reply, a hub that was restored from a backup, and a new shipper all
 * continue from the hub's mark.
 */
export const decideShipment = (
  { forked, mark }: Pick<OtherMark, "forked" | "mark">,
  own: LogMark | undefined
): ShipDecision =>
  !forked && own?.position === mark.position && own.digest === mark.digest
    ? { _tag: "GoOn", mark }
    : { _tag: "Forked", at: mark.position }
