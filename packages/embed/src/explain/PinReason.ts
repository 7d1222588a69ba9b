import type { Pinned, PinEvent } from "@souffleur/domain"
import type { Explanation } from "./Explanation.ts"

/** Explains the limits of a config file for a watch or a run, and who may change them. */
export const reasonOfPin = (event: PinEvent, { pin }: Pinned): Explanation =>
  event._tag === "TrustGiven"
    ? {
        seen: [`until then no launch was above ${pin.ceiling}`],
        rule: "Only a person's word raises the ceiling, or changes a program, of what is under way."
      }
    : {
        seen: [
          `pinned: no launch is above ${pin.ceiling}`,
          ...(event._tag === "ConfigOverreached" && event.keys.includes("MAX_EXTERNAL_PERMISSION")
            ? [`the file says ${event.said.ceiling}`]
            : [])
        ],
        rule: "An agent can write the config file: from its opening on the file may lower the ceiling, and no more.",
        act:
          event._tag === "ConfigOverreached"
            ? `the pinned values hold; to accept the file as it is: souffleur config --trust${event.keys.includes("MAX_EXTERNAL_PERMISSION") ? `; of a watch, its ceiling alone: souffleur retry --ceiling ${event.said.ceiling}` : ""}`
            : "the pinned values hold, as before"
      }
