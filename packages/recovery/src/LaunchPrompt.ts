import type { RecoveryCycle, Watch } from "@souffleur/domain"

/** Why a successor starts, told to it in one line (spec §2, Recovery). */
export const reasonLine = (trigger: RecoveryCycle["trigger"]): string =>
  trigger === "handoff"
    ? "The previous Conductor asked for a planned handoff because of high context use; it was not a crash."
    : "The previous Conductor crashed or became unresponsive."

/** The first line that a Conductor of the orchestration expects; a session without comms gets a plain "continue". */
const firstLine = (watch: Watch): string =>
  watch.comms === null ? "Continue the work of the session before you." : "/conductor --recovery-bootstrap"

/** From an export: its path, never its content; the reason; the old session; where the state of the tasks is. */
export const promptFromExport = (watch: Watch, exportPath: string, trigger: RecoveryCycle["trigger"]): string =>
  [
    firstLine(watch),
    "",
    reasonLine(trigger),
    `The conversation before you was exported to this file; read it first: ${exportPath}`,
    `It is the conversation of session ${watch.sessionId}.`,
    watch.comms === null
      ? "Then go on from where it ends."
      : `The state of the tasks is in ${watch.comms} (tables orchestration_tasks and orchestration_messages): go on with what is not complete.`
  ].join("\n")
