import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { formatPayload, parsePayload, payloadHeader } from "../src/index.ts"

const said = (...lines: ReadonlyArray<string>) => parsePayload([payloadHeader, ...lines].join("\n"))

describe("a payload", () => {
  it("says a permission mode and a resume prompt, either or both", () => {
    assert.deepStrictEqual(said("permission_mode: bypassPermissions", "resume_prompt: /conductor --recovery-bootstrap"), {
      permissionMode: "bypassPermissions",
      resumePrompt: "/conductor --recovery-bootstrap",
      warnings: []
    })
    assert.deepStrictEqual(said("permission_mode:plan"), { permissionMode: "plan", resumePrompt: undefined, warnings: [] })
    assert.deepStrictEqual(said(), { permissionMode: undefined, resumePrompt: undefined, warnings: [] })
  })
  it("has a resume prompt that runs to the end: blank lines, other keys and fences are of the prompt", () => {
    for (const newline of ["\n", "\r\n"]) {
      const lines = [
        payloadHeader,
        "resume_prompt:   first  ",
        "",
        "permission_mode: bypassPermissions",
        "```",
        "unknown: x",
        "  last",
        "",
        " "
      ]
      assert.deepStrictEqual(parsePayload(lines.join(newline)), {
        permissionMode: undefined,
        resumePrompt: "first  \n\npermission_mode: bypassPermissions\n```\nunknown: x\n  last",
        warnings: []
      })
    }
    assert.strictEqual(said("resume_prompt:", "on the next line").resumePrompt, "on the next line")
  })
  it("may be malformed: what is understood counts, the rest is a warning that repeats nothing of it", () => {
    const payload = said(
      "SECRET words",
      "colour: SECRET",
      "resume_prompt SECRET",
      " permission_mode: SECRET",
      "permission_mode: a",
      "permission_mode: b"
    )
    assert.deepStrictEqual([payload.permissionMode, payload.resumePrompt, payload.warnings.length], ["b", undefined, 4])
    assert.notInclude(payload.warnings.join(), "SECRET")
    assert.deepStrictEqual(said("resume_prompt:  ", "\t", "").warnings, ["the payload's resume_prompt is empty"])
    assert.isUndefined(said("resume_prompt:").resumePrompt)
  })
  it("without its header is read all the same, with a warning", () => {
    for (const first of ["", `${payloadHeader}0`, `x ${payloadHeader}`]) {
      const payload = parsePayload(`${first}\npermission_mode: acceptEdits`)
      assert.deepStrictEqual([payload.permissionMode, payload.warnings.length], ["acceptEdits", 1], first)
    }
    assert.deepStrictEqual(parsePayload(`  ${payloadHeader} \r\npermission_mode: x`).warnings, [])
  })
  it("of a hundred thousand lines is read at once", () => {
    const payload = said(...Array.from({ length: 100_000 }, () => "permission_mode: a"), `resume_prompt: ${"x\n".repeat(100_000)}`)
    assert.strictEqual(payload.resumePrompt?.length, 199_999)
  })
})

it.prop("never throws, and warns of what it does not know without a word of it", [Schema.String, Schema.String], ([key, value]) => {
  const secret = `«${value}»`
  for (const text of [secret, `${payloadHeader}\n${key}${secret}`, `${payloadHeader}\n${key}:${secret}`]) {
    assert.notInclude(parsePayload(text).warnings.join(), secret)
  }
})
it.prop("gives back every resume prompt that has words at both of its ends", [Schema.String], ([text]) => {
  const prompt = `<${text.replaceAll("\r\n", "\n")}>`
  const payload = parsePayload(`${payloadHeader}\npermission_mode: plan\nresume_prompt: ${prompt}`)
  assert.deepStrictEqual(payload, { permissionMode: "plan", resumePrompt: prompt, warnings: [] })
})

it.prop(
  "what is written is what is read",
  [Schema.Literals(["acceptEdits", "bypassPermissions"]), Schema.String.check(Schema.isMinLength(1))],
  ([permissionMode, text]) => {
    const words = text.replaceAll(/\r\n/gu, "\n").trim()
    const resumePrompt = words === "" ? undefined : words
    assert.deepStrictEqual(parsePayload(formatPayload({ permissionMode, resumePrompt })), { permissionMode, resumePrompt, warnings: [] })
  }
)
