import { overreachInWords, type PinEvent } from "../event/PinEvent.ts"
import { described, type Describers } from "./Description.ts"

/** Describes the events of the config file's pin, for a watch and for a run. */
export const describePin: Describers<PinEvent, "untrusted_config" | "cleared", unknown> = {
  ConfigOverreached: (event) =>
    described("warning", overreachInWords(event), { message: "warning", notice: "untrusted_config" }),
  ConfigWithdrawn: () =>
    described("info", "the config file no longer asks for anything that is not in force", {
      message: "system",
      notice: "cleared"
    }),
  TrustGiven: ({ by, pin }) =>
    described(
      "warning",
      by === "retry"
        ? `a person set the ceiling: no launch is above ${pin.ceiling} from now on`
        : `a person trusts the config file: no launch is above ${pin.ceiling}, and its programs count at the next start of souffleur`,
      { message: "system", notice: "cleared" }
    )
}
