import { overreachInWords, type PinEvent } from "../event/PinEvent.ts"
import { described, type Describers } from "./Description.ts"
import { capital } from "./Words.ts"

/** Describes the events of the config file's pin, for a watch and for a run. */
export const describePin: Describers<PinEvent, "untrusted_config" | "cleared"> = {
  ConfigOverreached: (event) =>
    described("warning", capital(overreachInWords(event)), { message: "warning", notice: "untrusted_config" }),
  ConfigWithdrawn: () =>
    described("info", "The config file no longer asks for anything that is not in force", {
      message: "system",
      notice: "cleared"
    }),
  TrustGiven: ({ by, pin }) =>
    described(
      "warning",
      by === "retry"
        ? `A person set the ceiling: no launch is above ${pin.ceiling} from now on`
        : `A person trusts the config file: no launch is above ${pin.ceiling}, and its programs count at the next start of souffleur`,
      { message: "system", notice: "cleared" }
    )
}
