import { assert, it } from "@effect/vitest"
import { evolve, initial } from "@souffleur/domain"
import { promptFromExport, reasonLine } from "../src/index.ts"
import { recovering } from "./CrashingLog.ts"

const watch = recovering().reduce(evolve, initial)
const solo = recovering({ comms: null }).reduce(evolve, initial)

it("says why a successor starts: a crash, or a planned handoff, which is not one", () => {
  for (const trigger of ["pid", "heartbeat"] as const) assert.include(reasonLine(trigger), "crashed or became unresponsive")
  assert.include(reasonLine("handoff"), "planned handoff because of high context use")
  assert.include(reasonLine("handoff"), "not a crash")
})
it("begins with what a Conductor of the orchestration expects, and gives path, session and comms", () => {
  const lines = promptFromExport(watch, "/state/exports/w.md", "pid").split("\n")
  assert.strictEqual(lines[0], "/conductor --recovery-bootstrap")
  for (const part of ["/state/exports/w.md", "session s1", "/p/comms.db", reasonLine("pid")]) assert.include(lines.join("\n"), part)
})
it("of a session without comms is a plain continue", () => {
  const prompt = promptFromExport(solo, "/state/exports/w.md", "handoff")
  assert.match(prompt, /^Continue /u)
  assert.notInclude(prompt, "orchestration")
  assert.notInclude(prompt, "/conductor")
})
