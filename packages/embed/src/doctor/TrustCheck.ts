import { overreachInWords } from "@souffleur/domain"
import { Option } from "effect"
import type { NamedWatch } from "../watching/FindWatch.ts"
import type { ConfigTrust } from "../world/ConfigTrust.ts"
import { type Finding, note, passed, wrong } from "./Finding.ts"

const look = (source: string | null) => `look at ${source ?? "it"}, then: souffleur config --trust`

/** Compares the config file of a project with what a person has trusted there. */
export const trustCheck = ({ keys, said, says, settings: { source }, trusted }: ConfigTrust): Finding => {
  if (keys.length === 0)
    return passed(
      "trust",
      `the config file asks for nothing that is not trusted; in it: ${said.ceiling}, trusted: ${Option.match(trusted, { onNone: () => "nothing yet", onSome: ({ ceiling }) => ceiling })}`
    )
  return wrong("trust", overreachInWords({ keys, said: says }), look(source))
}

/** Reports the unfinished watches whose config file asks for more than is in force. */
export const pinned = (watches: ReadonlyArray<NamedWatch>): ReadonlyArray<Finding> =>
  watches.flatMap(({ id, watch: { overreach, phase, pin, project } }) =>
    overreach === undefined || phase === "Exited"
      ? []
      : [
          note(
            "ceiling",
            `watch ${id} holds ${pin.ceiling} and its programs: ${overreachInWords(overreach)}`,
            `in ${project}: souffleur config --trust`
          )
        ]
  )
