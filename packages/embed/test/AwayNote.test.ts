import { assert, describe, it } from "@effect/vitest"
import { awayNote } from "../src/watching/AwayNote.ts"

describe("behaviour#first-launch", () => {
  it("a command that runs elsewhere is named by its client, and another is not", () => {
    const client = (words: string) => awayNote(words.split(" "))?.split(" ")[0]
    for (const [words, name] of [
      ["docker exec box claude -p hi", "docker"],
      ["/usr/bin/podman run box", "podman"],
      ["kubectl exec pod -- make", "kubectl"],
      ["sudo -n docker exec box make", "docker"],
      ["timeout 3600 ssh host ./deploy.sh", "ssh"],
      ["make ssh", undefined],
      ["git push ssh://host/x", undefined]
    ] as const)
      assert.strictEqual(client(words), name, words)
    assert.strictEqual(awayNote(["sh", "-c", "cd /srv; ssh host 'claude -p hi' | tee out"])?.split(" ")[0], "ssh")
    assert.match(awayNote(["ssh", "host"]) ?? "", /is run again, beside what may still run there$/u)
  })
})
