import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { formatPayload, parsePayload, payloadHeader } from "../src/index.ts"

const said = (...lines: ReadonlyArray<string>) => parsePayload([payloadHeader, ...lines].join("\n"))

describe("behaviour#payload", () => {
  describe("a payload", () => {
    it("a payload gives a permission mode and a resume prompt, either or both", () => {
      assert.deepStrictEqual(
        said("permission_mode: bypassPermissions", "resume_prompt: /conductor --recovery-bootstrap"),
        {
          permissionMode: "bypassPermissions",
          resumePrompt: "/conductor --recovery-bootstrap",
          warnings: []
        }
      )
      assert.deepStrictEqual(said("permission_mode:plan"), {
        permissionMode: "plan",
        resumePrompt: undefined,
        warnings: []
      })
      assert.deepStrictEqual(said(), { permissionMode: undefined, resumePrompt: undefined, warnings: [] })
    })
    it("a resume prompt runs to the end of the payload as it is, with white space, other keys, fences and line ends", () => {
      for (const newline of ["\n", "\r\n"]) {
        const prompt = [
          "  first  ",
          "",
          "permission_mode: bypassPermissions",
          "```",
          "unknown: x",
          "  last",
          "",
          " "
        ].join(newline)
        assert.deepStrictEqual(parsePayload(`${payloadHeader}${newline}resume_prompt: ${prompt}`), {
          permissionMode: undefined,
          resumePrompt: prompt,
          warnings: []
        })
        assert.strictEqual(
          parsePayload(`${payloadHeader}${newline}resume_prompt:${newline}  on the next line\t`).resumePrompt,
          "  on the next line\t"
        )
      }
      assert.strictEqual(said("resume_prompt:at once").resumePrompt, "at once")
    })
    it("a malformed payload counts where it is understood, and the rest is a warning that repeats nothing of it", () => {
      const payload = said(
        "SECRET words",
        "colour: SECRET",
        "resume_prompt SECRET",
        " permission_mode: SECRET",
        "permission_mode: a",
        "permission_mode: b"
      )
      assert.deepStrictEqual(
        [payload.permissionMode, payload.resumePrompt, payload.warnings.length],
        ["b", undefined, 4]
      )
      assert.notInclude(payload.warnings.join(), "SECRET")
      assert.deepStrictEqual(said("resume_prompt:  ", "\t", "").warnings, ["the payload's resume_prompt is empty"])
      assert.isUndefined(said("resume_prompt:").resumePrompt)
    })
    it("a payload without its header is read all the same, with a warning", () => {
      for (const first of ["", `${payloadHeader}0`, `x ${payloadHeader}`]) {
        const payload = parsePayload(`${first}\npermission_mode: acceptEdits`)
        assert.deepStrictEqual([payload.permissionMode, payload.warnings.length], ["acceptEdits", 1], first)
      }
      assert.deepStrictEqual(parsePayload(`  ${payloadHeader} \r\npermission_mode: x`).warnings, [])
    })
    it("a payload of a hundred thousand lines is read at once", () => {
      const payload = said(
        ...Array.from({ length: 100_000 }, () => "permission_mode: a"),
        `resume_prompt: ${"x\n".repeat(100_000)}`
      )
      assert.strictEqual(payload.resumePrompt?.length, 200_000)
    })
  })

  it.prop(
    "the parser never throws, and warns of unknown parts without a word of them",
    [Schema.String, Schema.String],
    ([key, value]) => {
      const secret = `«${value}»`
      for (const text of [secret, `${payloadHeader}\n${key}${secret}`, `${payloadHeader}\n${key}:${secret}`]) {
        assert.notInclude(parsePayload(text).warnings.join(), secret)
      }
    }
  )
  it.prop(
    "a written payload reads back byte for byte, except an empty prompt",
    [
      Schema.Literals(["acceptEdits", "bypassPermissions"]),
      Schema.Array(
        Schema.Union([Schema.String, Schema.Literals([" ", "\t", "\n", "\r\n", "\r", "resume_prompt:", "\u2028"])])
      )
    ],
    ([permissionMode, parts]) => {
      const prompt = parts.join("")
      assert.deepStrictEqual(parsePayload(formatPayload({ permissionMode, resumePrompt: prompt })), {
        permissionMode,
        resumePrompt: prompt.trim() === "" ? undefined : prompt,
        warnings: prompt.trim() === "" ? ["the payload's resume_prompt is empty"] : []
      })
    }
  )
})
