import { assert, describe, it } from "@effect/vitest"
import { formatChannel, parseNotify, serverUrl } from "@souffleur/domain"
import { Result } from "effect"

const read = (text: string) => Result.getOrElse(parseNotify(text), () => "refused" as const)
const refused = (text: string) => Result.isFailure(parseNotify(text))

describe("settings#notify", () => {
  describe("the channels of notices", () => {
    it("channels are separated by spaces, and a command takes the rest of the line", () => {
      assert.deepStrictEqual(read("  desktop   ntfy:my-topic slack telegram:-100200 command: /opt/my tell, ntfy:x "), [
        { _tag: "desktop" },
        { _tag: "ntfy", url: "https://ntfy.sh/my-topic", words: false },
        { _tag: "slack", words: false },
        { _tag: "telegram", chat: "-100200", words: false },
        { _tag: "command", command: "/opt/my tell, ntfy:x" }
      ])
      assert.deepStrictEqual(read('command:["/opt/tell","a b"]'), [{ _tag: "command", command: '["/opt/tell","a b"]' }])
    })
    it("channels get words of the agent where that is asked for, one by one", () => {
      assert.deepStrictEqual(read("ntfy+words:t telegram:@team slack+words"), [
        { _tag: "ntfy", url: "https://ntfy.sh/t", words: true },
        { _tag: "telegram", chat: "@team", words: false },
        { _tag: "slack", words: true }
      ])
      assert.isTrue(refused("desktop+words"))
    })
    it("servers are on https, or on this machine where that is named", () => {
      for (const url of ["https://push.example/t", "https://push.example:8443/base/t", "http://127.0.0.1:80/t"])
        assert.isFalse(refused(`ntfy:${url}`), url)
      for (const url of ["http://[::1]:1/t", "http://localhost/t"]) assert.isDefined(serverUrl(url), url)
      for (const url of [
        "http://push.example/t",
        "http://127.0.0.1.evil.example/t",
        "http://localhost.evil.example/t",
        "https://user:pass@push.example/t",
        "https://user@push.example/t",
        "ftp://push.example/t",
        "file:///etc/t",
        "javascript:t"
      ]) {
        assert.isTrue(refused(`ntfy:${url}`), url)
        assert.isUndefined(serverUrl(url), url)
      }
    })
    it("a topic and a chat are one word each", () => {
      for (const word of [
        "ntfy",
        "ntfy:",
        "ntfy:a/b",
        "ntfy:a?x",
        "ntfy:../x",
        `ntfy:${"x".repeat(65)}`,
        "ntfy:https://push.example/",
        "ntfy:https://push.example/t?auth=x",
        "ntfy:https://push.example/t#x",
        "telegram",
        "telegram:a b",
        "telegram:@x&parse_mode=HTML",
        "telegram:../bot",
        "command:",
        "command: ",
        "mail:me@example",
        "NTFY:t"
      ])
        assert.isTrue(refused(word), word)
      assert.isTrue(refused(Array.from({ length: 9 }, () => "desktop").join(" ")))
    })
    it("a channel is refused without a word that may be a secret", () => {
      const told = parseNotify("desktop slack:http://hooks.example/SECRET")
      assert.isTrue(Result.isFailure(told) && told.failure.includes("number 2") && !told.failure.includes("SECRET"))
    })
    it("channels hold no URL of Slack, and are written as they are read", () => {
      assert.isTrue(refused("slack:https://hooks.example/SECRET"))
      const line = "desktop slack+words ntfy:https://push.example/t telegram:@team command:/opt/tell"
      const channels = read(line)
      assert.strictEqual(channels === "refused" ? "" : channels.map(formatChannel).join(" "), line)
    })
  })
})
