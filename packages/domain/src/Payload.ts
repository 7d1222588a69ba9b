/** What a Conductor may say when it asks for a recovery of its context (spec §2, Payload). */
export interface Payload {
  /** As it was written; the clamp decides what it is worth. `undefined`: not said. */
  readonly permissionMode: string | undefined
  /** Runs to the end of the message. `undefined`: not said, or empty. */
  readonly resumePrompt: string | undefined
  /** What could not be understood, without a word of the text itself. */
  readonly warnings: ReadonlyArray<string>
}

export const payloadHeader = "CONTEXT_RECOVERY_PAYLOAD_V1"

/** What {@link parsePayload} reads; a prompt that is empty is none. */
export const formatPayload = ({ permissionMode, resumePrompt }: Pick<Payload, "permissionMode" | "resumePrompt">): string =>
  [
    payloadHeader,
    ...(permissionMode === undefined ? [] : [`permission_mode: ${permissionMode}`]),
    ...(resumePrompt === undefined ? [] : [`resume_prompt: ${resumePrompt}`])
  ].join("\n")

/** Malformed or unknown parts are not fatal: what is understood counts, the rest is a warning. */
export const parsePayload = (text: string): Payload => {
  const warnings: Array<string> = []
  const lines = text.split(/\r?\n/u)
  if (lines[0]?.trim() !== payloadHeader) warnings.push(`the payload does not begin with the line ${payloadHeader}`)
  let permissionMode: string | undefined
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === "") continue
    const [, key, value] = /^([A-Za-z_]{1,40}):(.*)$/u.exec(line) ?? []
    if (key === "resume_prompt") {
      const prompt = [value!.trimStart(), ...lines.slice(index + 1)].join("\n").trim()
      if (prompt === "") warnings.push("the payload's resume_prompt is empty")
      return { permissionMode, resumePrompt: prompt === "" ? undefined : prompt, warnings }
    }
    if (key === "permission_mode") permissionMode = value!.trim()
    else
      warnings.push(
        key === undefined ? `line ${index + 1} of the payload is malformed` : `line ${index + 1} of the payload has an unknown key`
      )
  }
  return { permissionMode, resumePrompt: undefined, warnings }
}
