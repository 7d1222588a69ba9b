import { assert, describe, it } from "@effect/vitest"
import { AlreadyWatched, CommandRefused, ConfigUntrusted, OpenedOtherwise, WatchNotFound } from "@souffleur/embed"
import { withStep } from "../src/explain/NextStep.ts"
import { ownerOf } from "@souffleur/testing"

const problem = "souffleur with pid 77 on here watches w"

describe("behaviour#one-owner", () => {
  it("a refusal by a watch of another souffleur says what to type, by whether that is seen from here", () => {
    const owner = ownerOf(77)
    const seen = `already watched: ${problem}: "souffleur attach w" shows it, and "souffleur release w" ends it`
    assert.strictEqual(withStep(new AlreadyWatched({ owner, watch: "w", problem })), seen)
    assert.strictEqual(
      withStep(new AlreadyWatched({ owner, watch: "w", unseen: true, problem })),
      `already watched: ${problem}: if it surely is gone, "souffleur resume w --moved" goes on here, and "souffleur release w" ends it`
    )
    assert.strictEqual(
      withStep(new AlreadyWatched({ owner, problem: "it is claimed" })),
      "already watched: it is claimed"
    )
  })
})

it("an error of a library gets the words of the command line that lead on", () => {
  for (const [error, step] of [
    [
      new OpenedOtherwise({ watch: "w", message: "it has another command" }),
      '"souffleur resume w" goes on with it, and "souffleur release w" ends it'
    ],
    [
      new ConfigUntrusted({ message: "NOTIFY is not trusted yet" }),
      'look at the file, then "souffleur config --trust" accepts it as it is now'
    ],
    [
      new WatchNotFound({ message: "no watch" }),
      '"souffleur status --all" lists the watches, and "souffleur conduct status --all" the runs'
    ],
    [new CommandRefused({ message: "it is looked after", watch: "w" }), '"souffleur release w" ends it'],
    [
      new CommandRefused({ message: "pi needs MAX_EXTERNAL_PERMISSION=bypassPermissions" }),
      '"souffleur setup --permission bypassPermissions" sets that'
    ]
  ] as const)
    assert.strictEqual(withStep(error), `${error.message}: ${step}`)
  assert.strictEqual(withStep(new CommandRefused({ message: "it asks for too much" })), "it asks for too much")
})
