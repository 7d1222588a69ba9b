import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { hookCommand } from "../../src/kit/hooks/HookCommand.ts"
import { hooksFound, withHooks, withoutHooks } from "../../src/kit/hooks/HookSettings.ts"

const events = ["SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"] as const
const form = { events, timeout: 5 }
const command = hookCommand({ stateDir: "/state of things", self: ["/node", "/it's here/souffleur.js"] })
const moved = hookCommand({ stateDir: "/state", self: ["/node", "/there/souffleur.js"] })
const ours = { hooks: [{ type: "command", command, timeout: 5 }] }
const installed = (text: string, line = command) => Result.getOrThrow(withHooks(form, text, line))
const taken = (text: string) => Result.getOrThrow(withoutHooks(text))

const Hook = Schema.Struct({ type: Schema.Literals(["command", "prompt"]), command: Schema.String })
const Group = Schema.Struct({ matcher: Schema.optionalKey(Schema.String), hooks: Schema.Array(Hook) })
const Hooks = Schema.Record(Schema.Literals([...events, "WorktreeCreate"]), Schema.NonEmptyArray(Group))
const Before = Schema.Record(Schema.String, Schema.Json)
/** Settings of anybody's, as a program or a person lays them out. */
const Layout = Schema.Struct({
  indent: Schema.Literals(["", "  ", "    ", "\t"]),
  crlf: Schema.Boolean,
  end: Schema.Literals(["", "\n"])
})
const written = (settings: object, { crlf, end, indent }: typeof Layout.Type) => {
  const text = JSON.stringify(settings, null, indent) + end
  return crlf ? text.replaceAll("\n", "\r\n") : text
}

describe("behaviour#hooks-of-the-agent", () => {
  describe("hooks in settings", () => {
    it("join those of others, and are removed without a trace", () => {
      const text = `{
  "permissions": { "allow": ["Bash(ls:*)"] },
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "guard" }] }
    ],
    "WorktreeCreate": [ ]
  },
  "model": "opus"
}
`
      const after = JSON.parse(installed(text))
      assert.deepStrictEqual(Object.keys(after), ["permissions", "hooks", "model"])
      assert.deepStrictEqual(after.hooks.PreToolUse, [
        { matcher: "Bash", hooks: [{ type: "command", command: "guard" }] },
        ours
      ])
      assert.deepStrictEqual(after.hooks.WorktreeCreate, [])
      for (const event of events) if (event !== "PreToolUse") assert.deepStrictEqual(after.hooks[event], [ours])
      assert.strictEqual(taken(installed(text)), text)
      assert.include(installed(text), '{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "guard" }] }')
    })

    it("leave comments as they are, wherever one is", () => {
      const commented = `// mine
{
  /* "hooks": { } */ "theme": "a // b", // kept
  "hooks": {
    // of others
    "Stop": [{ "hooks": [{ "type": "command", "command": "say /* no */" /* { */ }] }] // last
  } // }
}
`
      const after = installed(commented)
      assert.isTrue(Result.getOrThrow(hooksFound(form, after)).complete)
      for (const line of commented.split("\n").slice(0, 5)) assert.include(after, line)
      assert.strictEqual(taken(after), commented)
      assert.strictEqual(taken(installed("{} // none")), "{} // none")
      for (const text of [
        "{ // mine\n}",
        '{\n  "hooks": { /* mine */ },\n  "a": 1\n}\n',
        '{"hooks": {"Stop": [/* mine */]}}'
      ])
        assert.include(installed(text), /\/\*.*\*\/|\/\/.*/u.exec(text)![0])
      assert.strictEqual(taken(installed("{ // mine\n}")), "{ // mine\n}")
      // Others have written beside the hooks since.
      const [first, second] = [installed("{}\n"), installed('{\n  "a": 1\n}\n')]
      assert.strictEqual(taken(second.replace("1,", "1, // mine")), '{\n  "a": 1 // mine\n}\n')
      assert.strictEqual(taken(first.replace("{", "{ // mine")), "{ // mine\n}\n")
      assert.strictEqual(taken(first.replace(/\}\n$/u, '/* mine */, "a": 1}')), '{\n  /* mine */ "a": 1}')
    })

    it("leave a list of another's hooks without changing the rest", () => {
      const merged = JSON.stringify({
        hooks: {
          Stop: [{ hooks: [{ type: "command", command: "a" }, ...ours.hooks, { type: "command", command: "b" }] }, ours]
        }
      })
      assert.deepStrictEqual(JSON.parse(taken(merged)), {
        hooks: {
          Stop: [
            {
              hooks: [
                { type: "command", command: "a" },
                { type: "command", command: "b" }
              ]
            }
          ]
        }
      })
    })

    it("change when the program has moved", () => {
      const again = installed(installed("{}\n"), moved)
      assert.deepStrictEqual(Result.getOrThrow(hooksFound(form, again)).commands, [moved])
      assert.strictEqual(again, installed("{}\n", moved))
    })

    it("count as complete only as they were installed, each once", () => {
      const complete = (text: string) => Result.getOrThrow(hooksFound(form, text)).complete
      assert.isTrue(complete(installed("{}")))
      assert.isFalse(complete("{}"))
      assert.isFalse(complete(installed("{}").replace('"timeout": 5', '"timeout": 50')))
      const { hooks } = JSON.parse(installed("{}"))
      assert.isFalse(complete(JSON.stringify({ hooks: { ...hooks, Stop: [] } })))
      assert.isFalse(complete(JSON.stringify({ hooks: { ...hooks, Stop: [ours, ours] } })))
    })

    it("enter no text that is not settings", () => {
      const foreign: ReadonlyArray<readonly [text: string, why: RegExp]> = [
        ["", /not JSON/],
        ["{", /not JSON/],
        ['{ "a": 1, } // note', /not JSON/],
        ["{} /* note", /not JSON/],
        [`{"a": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`, /not JSON/],
        ["[]", /no JSON object/],
        ['"hooks"', /no JSON object/],
        ['{"hooks": []}', /"hooks" that is no object/],
        ['{"hooks": null}', /"hooks" that is no object/],
        ['{"hooks": {"Stop": {}}}', /"Stop" that is no list/],
        ['{"hooks": {}, "hooks": {}}', /"hooks" twice/],
        ['{"hooks": {"Stop": [], "St\\u006fp": []}}', /"Stop" twice/]
      ]
      for (const [text, why] of foreign) {
        for (const result of [withHooks(form, text, command), withoutHooks(text)])
          assert.match(Result.merge(result), why)
      }
    })

    it.prop(
      "any settings get every hook, keep all else, and are as before to the byte without them",
      [Before, Hooks, Schema.Boolean, Layout],
      ([before, hooks, some, layout]) => {
        const { hooks: _, ...others } = before
        const settings = some && Object.keys(hooks).length > 0 ? { ...others, hooks, last: [] } : others
        const text = written(settings, layout)
        const after = installed(text)
        assert.isTrue(Result.getOrThrow(hooksFound(form, after)).complete)
        assert.strictEqual(installed(after), after)
        const { hooks: now, ...rest } = JSON.parse(after)
        const { hooks: then = {}, ...kept } = JSON.parse(text)
        assert.deepStrictEqual(rest, kept)
        for (const event of Object.keys(now)) {
          const own = (events as ReadonlyArray<string>).includes(event) ? [ours] : []
          assert.deepStrictEqual(now[event], [...(then[event] ?? []), ...own])
        }
        assert.strictEqual(taken(after), text)
      }
    )
  })
})
