/** The message with which a Conductor asks for a recovery of its context (spec: behaviour#payload). */
export interface Payload {
  /** The mode as it was written. The clamp decides its effect. `undefined`: not given. */
  readonly permissionMode: string | undefined
  /** The prompt, which runs to the end of the message. `undefined`: not given, or empty. */
  readonly resumePrompt: string | undefined
  /** Warnings about parts that were not understood, without a word of the text itself. */
  readonly warnings: ReadonlyArray<string>
}

/** The first line of a payload. */
export const payloadHeader = "CONTEXT_RECOVERY_PAYLOAD_V1"

/** Writes the text that {@link parsePayload} reads. An empty prompt is left out. */
export const formatPayload = ({
  permissionMode,
  resumePrompt
}: Pick<Payload, "permissionMode" | "resumePrompt">): string =>
  [
    payloadHeader,
    ...(permissionMode === undefined ? [] : [`permission_mode: ${permissionMode}`]),
    // On the key's own line, unless that line would be read as empty.
    ...(resumePrompt === undefined
      ? []
      : [`resume_prompt:${/^[^\S\n]*(?:\n|$)/u.test(resumePrompt) ? "\n" : " "}${resumePrompt}`])
  ].join("\n")

/** Returns a line, its end, and the beginning of the next line. */
const lineAt = (text: string, start: number) => {
  const newline = text.indexOf("\n", start)
  const end = newline === -1 ? text.length : newline
  return { line: text.slice(start, end).replace(/\r$/u, ""), next: newline === -1 ? undefined : newline + 1 }
}

/**
 * Reads a payload. Malformed or unknown parts are warnings, while the other parts count. A prompt is taken as it is, to
 * its last white space. One space or line end after its key belongs to the key.
 */
export const parsePayload = (text: string): Payload => {
  const warnings: Array<string> = []
  let permissionMode: string | undefined
  let number = 0
  for (let start: number | undefined = 0; start !== undefined;) {
    const { line, next } = lineAt(text, start)
    const [, key, value = ""] = /^([A-Za-z_]{1,40}):([^]*)$/u.exec(line) ?? []
    number++
    if (number === 1) {
      if (line.trim() !== payloadHeader) warnings.push(`the payload does not begin with the line ${payloadHeader}`)
    } else if (key === "resume_prompt") {
      const from = start + key.length + 1
      const prompt =
        value.trim() === "" ? text.slice(next ?? text.length) : text.slice(text[from] === " " ? from + 1 : from)
      if (prompt.trim() === "") warnings.push("the payload's resume_prompt is empty")
      return { permissionMode, resumePrompt: prompt.trim() === "" ? undefined : prompt, warnings }
    } else if (key === "permission_mode") permissionMode = value.trim()
    else if (line.trim() !== "")
      warnings.push(`line ${number} of the payload ${key === undefined ? "is malformed" : "has an unknown key"}`)
    start = next
  }
  return { permissionMode, resumePrompt: undefined, warnings }
}
