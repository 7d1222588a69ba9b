import { assert, describe, it } from "@effect/vitest"
import { startedBy } from "../src/index.ts"

/** `[pid, parent, name]`; a `!` behind the name is the tag. Each is a process group. */
const table = (...rows: ReadonlyArray<readonly [number, number, string]>) =>
  new Map(
    rows.map(([pid, parent, name]) => [
      pid,
      { pid, parent, group: pid, name: name.replace("!", ""), tagged: name.endsWith("!"), startTime: pid }
    ])
  )

const tree = (
  rows: ReturnType<typeof table>,
  root: number,
  self: number,
  others: ReadonlyArray<number> = [],
  startTime = root
) => {
  const tagged = (pid: number) => rows.get(pid)?.tagged === true
  return startedBy(rows, {
    root: { pid: root, startTime, bootId: "" },
    self,
    others: new Set(others),
    own: new Set(),
    tagged,
    launched: (pid) => tagged(pid) && !tagged(self),
    terminal: ({ name }) => name === "kitty" || name === "tmux: server"
  }).map((one) => one.pid)
}

describe("behaviour#stop", () => {
  it("a tree holds descendants and tagged processes, with their descendants", () => {
    const rows = table(
      [1, 0, "init"],
      [2, 1, "claude"],
      [3, 2, "sh"],
      [4, 3, "make"],
      [5, 1, "tool!"],
      [6, 5, "sub"],
      [9, 1, "souffleur"]
    )
    assert.deepStrictEqual(tree(rows, 2, 9), [3, 4, 5, 6])
  })

  it("a root whose pid is another process now has no children", () => {
    const rows = table([1, 0, "init"], [2, 1, "postgres"], [3, 2, "postgres"], [5, 1, "tool!"], [9, 1, "souffleur"])
    assert.deepStrictEqual(tree(rows, 2, 9, [], 1), [5])
  })
  it("a souffleur that the root started is spared, with its company", () => {
    const rows = table(
      [1, 0, "init"],
      [2, 1, "claude"],
      [3, 2, "sh"],
      [4, 3, "tee"],
      [9, 3, "souffleur"],
      [10, 9, "notify"],
      [11, 2, "make"]
    )
    assert.deepStrictEqual(tree(rows, 2, 9), [11])
  })

  it("souffleur's company is spared if the root is dead and tags decide", () => {
    const rows = table(
      [1, 0, "init"],
      [3, 1, "sh!"],
      [4, 3, "tee!"],
      [9, 3, "souffleur!"],
      [10, 9, "notify!"],
      [11, 1, "make!"]
    )
    assert.deepStrictEqual(tree(rows, 2, 9), [11])
  })

  it("a root below souffleur has its own children, not souffleur's others", () => {
    const rows = table([1, 0, "init"], [9, 1, "souffleur!"], [2, 9, "claude!"], [3, 2, "sh!"], [10, 9, "notify!"])
    assert.deepStrictEqual(tree(rows, 2, 9), [3])
  })
  it("processes that souffleur launched belong by the tag of that launch, not by tags of souffleur's environment", () => {
    const launched = table(
      [1, 0, "init"],
      [9, 1, "souffleur"],
      [20, 9, "agent!"],
      [21, 20, "sh"],
      [22, 9, "claude!"],
      [10, 9, "notify"],
      [30, 1, "agent!"]
    )
    // The Conductor is another one, 99, that has ended; 22 is an agent that is not to be touched.
    assert.deepStrictEqual(tree(launched, 99, 9, [22]), [20, 21, 30])
    const inherited = table(
      [1, 0, "init"],
      [9, 1, "souffleur!"],
      [10, 9, "notify!"],
      [20, 9, "export!"],
      [30, 1, "tool!"]
    )
    assert.deepStrictEqual(tree(inherited, 99, 9), [30])
  })

  it("terminals and other agents are spared with their processes, but not a root inside a terminal", () => {
    const rows = table(
      [1, 0, "init"],
      [20, 1, "tmux: server"],
      [21, 20, "bash"],
      [2, 21, "claude"],
      [3, 2, "sh"],
      [4, 20, "shell!"],
      [5, 2, "kitty"],
      [6, 5, "vim"],
      [7, 3, "claude"],
      [8, 7, "sh"],
      [9, 20, "souffleur"],
      [11, 2, "make"]
    )
    assert.deepStrictEqual(tree(rows, 2, 9, [7, 2]), [11])
  })

  it("an ancestor of the root is never in its tree", () => {
    const rows = table(
      [1, 0, "init"],
      [8, 1, "sh!"],
      [2, 8, "claude"],
      [3, 2, "make"],
      [4, 8, "vim"],
      [9, 1, "souffleur"]
    )
    assert.deepStrictEqual(tree(rows, 2, 9), [3])
  })
})
