import { assert, it } from "@effect/vitest"
import type { Stat } from "../src/Proc.ts"
import { isTerminalServer, startedBy } from "../src/ProcessTree.ts"

/** `[pid, parent, name]`; a `!` behind the name is the tag. */
const table = (...rows: ReadonlyArray<readonly [number, number, string]>): ReadonlyMap<number, Stat & { readonly tagged: boolean }> =>
  new Map(
    rows.map(([pid, parent, name]) => [
      pid,
      { pid, parent, name: name.replace("!", ""), tagged: name.endsWith("!"), state: "S", processor: 0, threads: 1, startTime: pid }
    ])
  )

const tree = (rows: ReturnType<typeof table>, root: number, self: number, others: ReadonlyArray<number> = [], startTime = root) =>
  startedBy(rows, {
    root: { pid: root, startTime, bootId: "" },
    self,
    others: new Set(others),
    tagged: (pid) => rows.get(pid)?.tagged === true
  }).map((one) => one.pid)

it("takes descendants and tagged ones, with theirs", () => {
  const rows = table([1, 0, "init"], [2, 1, "claude"], [3, 2, "sh"], [4, 3, "make"], [5, 1, "tool!"], [6, 5, "sub"], [9, 1, "souffleur"])
  assert.deepStrictEqual(tree(rows, 2, 9), [3, 4, 5, 6])
})

it("takes nothing for a child of a root whose pid is another process now", () => {
  const rows = table([1, 0, "init"], [2, 1, "postgres"], [3, 2, "postgres"], [5, 1, "tool!"], [9, 1, "souffleur"])
  assert.deepStrictEqual(tree(rows, 2, 9, [], 1), [5])
})

it("spares souffleur that the root started, and its company", () => {
  const rows = table([1, 0, "init"], [2, 1, "claude"], [3, 2, "sh"], [4, 3, "tee"], [9, 3, "souffleur"], [10, 9, "notify"], [11, 2, "make"])
  assert.deepStrictEqual(tree(rows, 2, 9), [11])
})

it("spares souffleur's company where the root is dead and tags tell", () => {
  const rows = table([1, 0, "init"], [3, 1, "sh!"], [4, 3, "tee!"], [9, 3, "souffleur!"], [10, 9, "notify!"], [11, 1, "make!"])
  assert.deepStrictEqual(tree(rows, 2, 9), [11])
})

it("takes what a root below souffleur started, not souffleur's other children", () => {
  const rows = table([1, 0, "init"], [9, 1, "souffleur"], [2, 9, "claude"], [3, 2, "sh"], [10, 9, "notify!"])
  assert.deepStrictEqual(tree(rows, 2, 9), [3])
})

it("spares terminals and other agents, and their own, but not a root inside a terminal", () => {
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
    [9, 20, "souffleur"]
  )
  assert.deepStrictEqual(tree(rows, 2, 9, [7, 2]), [3])
})

it("never takes what the root itself descends from", () => {
  const rows = table([1, 0, "init"], [8, 1, "sh!"], [2, 8, "claude"], [3, 2, "make"], [4, 8, "vim"], [9, 1, "souffleur"])
  assert.deepStrictEqual(tree(rows, 2, 9), [3])
})

it("knows terminal servers by what the kernel keeps of their names", () => {
  for (const name of ["tmux: server", "tmux: server (/", "screen", "zellij", "kitty", "wezterm-mux-ser"])
    assert.isTrue(isTerminalServer(name), name)
  for (const name of ["tmux: client", "kitten", "screenshot", "claude", "sh"]) assert.isFalse(isTerminalServer(name), name)
})
