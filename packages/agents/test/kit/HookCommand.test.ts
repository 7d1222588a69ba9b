import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { execFileSync } from "node:child_process"
import { hookCommand, hookProgram } from "../../src/kit/hooks/HookCommand.ts"

/** No argument of a program can hold a NUL. */
const word = Schema.String.check(Schema.isPattern(/^[^\0]*$/u))

describe("behaviour#hooks-of-the-agent", () => {
  it.prop(
    "a line of ours is recognised, and gives its program back",
    [word, word, Schema.Array(word)],
    ([stateDir, program, args]) => {
      const meant = { stateDir, self: [program, ...args] as const }
      const watching = { ...meant, watch: true } as const
      for (const one of [meant, { ...meant, agent: "scribe" }, watching, { ...watching, agent: "scribe" }])
        assert.deepStrictEqual(hookProgram(hookCommand(one)), Option.some(one))
    }
  )

  it("a line of another program is not taken for ours", () => {
    const ours = hookCommand({ stateDir: "/s", self: ["/node", "/souffleur.js"] })
    assert.strictEqual(ours, "SOUFFLEUR_STATE_DIR='/s' '/node' '/souffleur.js' hook 2>/dev/null || true")
    const others = [
      "",
      "hook",
      "souffleur hook",
      ours.slice(1),
      `${ours} `,
      `${ours}; rm x`,
      `x; ${ours}`,
      ours.replace("'/s'", "/s"),
      ours.replace("'/s'", "$(rm x)"),
      ours.replace(" hook ", " hook 'scribe' "),
      ours.replace(" hook ", " hook scribe; rm x "),
      ours.replace(" hook ", " hook --watch scribe ")
    ]
    for (const line of [...others, "SOUFFLEUR_STATE_DIR='/s' hook 2>/dev/null || true"])
      assert.deepStrictEqual(hookProgram(line), Option.none(), line)
  })
  it("a command's parts are single words to /bin/sh, and it never fails, even without its program", () => {
    const words = ["a b", "it's", "'", "''", "$(touch x)", "`id`", "\\", '"', "line\nline", "é 🎭", "*", "-n", ""]
    const script = "process.stdout.write(JSON.stringify([process.env.SOUFFLEUR_STATE_DIR, ...process.argv.slice(1)]))"
    for (const stateDir of ["it's", "line\nline"]) {
      const line = hookCommand({ stateDir, self: [process.execPath, "-e", script, "--", ...words] })
      assert.deepStrictEqual(JSON.parse(execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" })), [
        stateDir,
        ...words,
        "hook"
      ])
    }
    assert.strictEqual(
      execFileSync("/bin/sh", ["-c", hookCommand({ stateDir: "/", self: ["/no/such", "x"] })], { encoding: "utf8" }),
      ""
    )
  })
})
