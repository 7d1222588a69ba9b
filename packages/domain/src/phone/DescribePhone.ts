import { described, type Describers } from "../describe/Description.ts"
import { many } from "../describe/Words.ts"
import type { Choice, PhoneEvent, PressFault } from "./PhoneEvent.ts"

const faults: Readonly<Record<PressFault, string>> = {
  garbled: "it is no press of a button",
  "too long": "it is too long",
  unknown: "no notice has such a button",
  changed: "its button says another word",
  late: "the hour of its button is over",
  repeated: "its button was pressed before",
  passed: "what its notice told of has passed",
  refused: "the rules do not allow it now"
}

const said = ({ task, word }: Choice) => (task === null ? `"${word}"` : `"${word}" for task ${task}`)

/** Describes the events of buttons, of a watch and of a run. A person who pressed in good faith is told. */
export const describePhone: Describers<PhoneEvent, "warning", unknown> = {
  ButtonsOffered: ({ buttons, channel, of }) =>
    described("detail", `the notice of revision ${of} has ${many(buttons.length, "button")} on ${channel}`),
  PhoneWordTaken: ({ channel, task, word }) =>
    described("info", `a person said ${said({ task, word })} on the phone, by ${channel}`, { message: "system" }),
  PhoneWordRefused: ({ channel, fault, word }) =>
    described(
      "warning",
      `a ${word === null ? "message" : `press of "${word}"`} that came by ${channel} has no effect: ${faults[fault]}`,
      fault === "late" || fault === "passed" || fault === "refused" ? { notice: "warning" } : {}
    )
}
