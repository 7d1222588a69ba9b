import type * as Sign from "../event/SignEvent.ts"
import { described, type Describers } from "./Description.ts"

/** Describes a lost notice, of a watch and of a run. */
export const describeLost: Describers<typeof Sign.NoticeLost.Type, never, unknown> = {
  NoticeLost: ({ channel, message, notice, tries }) =>
    described(
      "warning",
      `the channel ${channel} did not take the notice "${notice}"${tries > 1 ? ` in ${tries} tries` : ""}: ${message}. "souffleur notify --test" tries each channel`,
      { message: "warning" }
    )
}
