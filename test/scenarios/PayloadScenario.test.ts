import { assert, describe, it } from "@effect/vitest"
import { payloadHeader, type Permission } from "@souffleur/domain"
import { minutes, seconds, Stage } from "./ScenarioStage.ts"

const handoff = { fate: "handoff", at: minutes(6), lasts: minutes(60), worksEvery: seconds(50) } as const
const bypass = `${payloadHeader}\npermission_mode: bypassPermissions\nresume_prompt: /conductor --resume-here\nthen the second line`
const permissions = ({ launches }: Stage) => launches.map((words) => words[words.indexOf("--permission-mode") + 1])

/** A hand-off with that payload under that ceiling: by an export, by a compaction. */
const handedOver = (payload: string, ceiling: Permission, compacted: boolean) => {
  const stage = new Stage({ ...handoff, payload })
  stage.world.ceiling = ceiling
  stage.world.settings = compacted ? { forceCompactThresholdTokens: 10 } : {}
  stage.souffleur()
  stage.until("ConductorRelaunched")
  return stage
}

describe("behaviour#permission-ceiling", () => {
  it("bypassPermissions asked under an acceptEdits ceiling is acceptEdits on every kind of launch", () => {
    const [exported, compacted] = [handedOver(bypass, "acceptEdits", false), handedOver(bypass, "acceptEdits", true)]
    assert.deepStrictEqual(permissions(exported), ["acceptEdits"])
    // The first permission is of the session that compacts, the second of the session that resumes.
    assert.deepStrictEqual(permissions(compacted), ["acceptEdits", "acceptEdits"])
    for (const stage of [exported, compacted]) {
      stage.pass(minutes(5)).close()
      assert.isTrue(
        stage.world.comms.messages.some(
          ({ kind, text }) => kind === "warning" && text.includes("bypassPermissions was asked for")
        )
      )
    }
  })

  it("bypassPermissions under that ceiling is granted to a payload, and never without a request", () => {
    assert.deepStrictEqual(permissions(handedOver(bypass, "bypassPermissions", false)), ["bypassPermissions"])
    assert.deepStrictEqual(permissions(handedOver(bypass, "bypassPermissions", true)), [
      "bypassPermissions",
      "bypassPermissions"
    ])
    assert.deepStrictEqual(
      permissions(handedOver(`${payloadHeader}\nresume_prompt: go on`, "bypassPermissions", false)),
      ["acceptEdits"]
    )
  })
})

describe("behaviour#payload", () => {
  it("a payload is honoured", () => {
    const stage = handedOver(bypass, "acceptEdits", false)
    assert.match(stage.launches[0]!.at(-1)!, /^\/conductor --resume-here\nthen the second line\n/u)
    stage.pass(minutes(10)).close()
  })

  it("a malformed payload is not fatal: its valid parts count", () => {
    for (const [payload, opening] of [
      [`${payloadHeader}\nnonsense\ncolour: blue\npermission_mode: root\nresume_prompt: go on here`, "go on here"],
      [payloadHeader, "/conductor --recovery-bootstrap"],
      [`${payloadHeader}\nresume_prompt:`, "/conductor --recovery-bootstrap"]
    ] as const) {
      const stage = handedOver(payload, "bypassPermissions", false)
      assert.strictEqual(stage.launches[0]!.at(-1)!.split("\n")[0], opening)
      assert.deepStrictEqual(permissions(stage), ["acceptEdits"])
      stage.pass(minutes(10)).close()
    }
  })

  it("an unknown part of a payload and an invalid permission are reported, each with its own reason", () => {
    const stage = handedOver(
      `${payloadHeader}\nnonsense\ncolour: blue\npermission_mode: root\nresume_prompt: go on`,
      "bypassPermissions",
      false
    )
    const warnings = stage.world.comms.messages.filter(({ kind }) => kind === "warning").map(({ text }) => text)
    assert.lengthOf(warnings, 2)
    assert.match(
      warnings[0]!,
      /souffleur did not understand all of the payload \(message \d+\): line 2 of the payload is malformed; line 3 of the payload has an unknown key\.$/u
    )
    assert.match(warnings[1]!, /: a permission was asked for that no launch may have: it gets acceptEdits\.$/u)
    stage.pass(minutes(10)).close()
  })
  it("a payload is consumed once: the next handoff without one gets the defaults", () => {
    const stage = new Stage({ ...handoff, payload: bypass }, handoff)
    stage.world.ceiling = "bypassPermissions"
    stage.souffleur()
    stage.until("ConductorRelaunched")
    stage.until("ConductorRelaunched")
    assert.deepStrictEqual(permissions(stage), ["bypassPermissions", "acceptEdits"])
    assert.match(stage.launches[1]!.at(-1)!, /^\/conductor --recovery-bootstrap\n/u)
    stage.pass(minutes(10)).close()
  })

  it("a payload is consumed once, even when comms is locked until the next generation works", () => {
    const stage = new Stage({ ...handoff, payload: bypass })
    const { comms, ledger } = stage.world
    stage.souffleur({
      plan: () => {
        // The request was read, but the baseline of the successor cannot be.
        if (
          comms.trouble === undefined &&
          ledger.count("StepSucceeded") === 2 &&
          ledger.count("ConductorRelaunched") === 0
        )
          comms.trouble = "locked"
        return undefined
      }
    })
    stage.until("ConductorRelaunched")
    stage.pass(minutes(2))
    comms.trouble = undefined
    stage.pass(minutes(30)).close()
    assert.strictEqual(stage.watch.generation, 2)
  })

  it("a payload that could not be read before its hand-off was over asks for none in the next generation", () => {
    const stage = new Stage({ ...handoff, payload: bypass })
    const { comms } = stage.world
    stage.souffleur({
      plan: () => {
        if (stage.world.ledger.count("ContextRecoveryRequested") === 1 && stage.watch.generation === 1)
          comms.trouble = "locked"
        return undefined
      }
    })
    stage.until("ConductorRelaunched")
    stage.pass(minutes(2))
    comms.trouble = undefined
    stage.pass(minutes(30)).close()
    assert.strictEqual(stage.watch.generation, 2)
  })
})
