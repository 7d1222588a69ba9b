import { formatPayload, heartbeatAge, parsePayload, parseTime, payloadHeader, see } from "@souffleur/domain"
import { Option } from "effect"
import { border, holds } from "../Border.ts"
import { mangled, run, some, time, today, word } from "../Hostile.ts"

export const payloads = border("payloads", {
  share: 8,
  draw: (seed) => {
    const line = () =>
      `${seed.pick(["permission_mode", "resume_prompt", "__proto__", word(seed)])}${seed.pick([":", ": ", "", "="])}${seed.chance(0.7) ? word(seed) : run(seed)}`
    const text = [payloadHeader, ...some(seed, 6, line)].join(seed.pick(["\n", "\r\n", "\r"]))
    return {
      text: seed.chance(0.6) ? text : mangled(seed, text),
      prompt: seed.chance(0.5) ? word(seed) : run(seed),
      beat: time(seed)
    }
  },
  checks: {
    "is read": ({ text }) => {
      const { warnings } = parsePayload(text)
      holds(
        warnings.every((one) => one.length < 300),
        "a warning tells the text itself"
      )
    },
    "is read as it was written": ({ prompt }) => {
      const resumePrompt = prompt.trim() === "" ? undefined : prompt
      const again = parsePayload(formatPayload({ permissionMode: "acceptEdits", resumePrompt }))
      holds(
        again.resumePrompt === resumePrompt && again.permissionMode === "acceptEdits",
        "a payload of ours is read as another"
      )
    },
    "a heartbeat": ({ beat }) => {
      const age = heartbeatAge(see(undefined, beat, today), today, today - 1000)
      holds(age === undefined || (Number.isSafeInteger(age) && age >= 0), "an age that is no count", beat)
      holds(
        Option.isNone(parseTime(beat)) || Number.isSafeInteger(Option.getOrThrow(parseTime(beat))),
        "a time that is none"
      )
    }
  }
})
