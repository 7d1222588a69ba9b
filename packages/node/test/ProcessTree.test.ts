import { assert, describe, it } from "@effect/vitest"
import type { Stat } from "../src/processes/ProcessSource.ts"
import { startedBy } from "../src/processes/ProcessTree.ts"
import { carriersOf, stillThose } from "../src/processes/Tags.ts"
import { isTerminalServer, namedAsOne } from "../src/processes/TerminalServer.ts"

/** `[pid, parent, name]`; a `!` behind the name is the tag. */
const table = (
  ...rows: ReadonlyArray<readonly [number, number, string]>
): ReadonlyMap<number, Stat & { readonly tagged: boolean }> =>
  new Map(
    rows.map(([pid, parent, name]) => [
      pid,
      {
        pid,
        parent,
        name: name.replace("!", ""),
        tagged: name.endsWith("!"),
        state: "S",
        processor: 0,
        threads: 1,
        startTime: pid
      }
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
    tagged,
    launched: (pid) => tagged(pid) && !tagged(self),
    terminal: ({ name }) => namedAsOne(name)
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
      [9, 20, "souffleur"]
    )
    assert.deepStrictEqual(tree(rows, 2, 9, [7, 2]), [3])
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

  it("terminal servers are known by their names as the kernel cuts them", () => {
    for (const name of ["tmux: server", "tmux: server (/", "screen", "zellij", "kitty", "wezterm-mux-ser"])
      assert.isTrue(namedAsOne(name), name)
    for (const name of ["tmux: client", "kitten", "screenshot", "claude", "sh"]) assert.isFalse(namedAsOne(name), name)
  })

  it("a known process is the same only with its boot, its start time and our own user", () => {
    const rows = table([1, 0, "init"], [20, 1, "worker"], [21, 1, "postgres"], [22, 1, "theirs"])
    const known = (pid: number, startTime = pid, bootId = "now") => ({ pid, startTime, bootId })
    const those = (...all: ReadonlyArray<ReturnType<typeof known>>) =>
      stillThose(rows, all, { bootId: "now", ours: 1000 }, ({ pid }) => (pid === 22 ? 1002 : 1000))
    assert.deepStrictEqual(those(known(20), known(99)), [20])
    assert.deepStrictEqual(those(known(21, 7)), [], "its pid is another one's by now")
    assert.deepStrictEqual(those(known(20, 20, "before")), [], "pids and times begin anew with each boot")
    assert.deepStrictEqual(those(known(22)), [])
  })
})

describe("behaviour#stop, security#processes", () => {
  it("a terminal server runs such a program of root's, or an installed one; its name alone is not enough", () => {
    const installed = (path: string) => path === "/home/me/.local/kitty.app/bin/kitty"
    const is = (name: string, path: string, uid: number, ours = 1000) =>
      isTerminalServer(name, { path, uid }, ours, installed)
    assert.isTrue(is("tmux: server", "/usr/bin/tmux", 0))
    assert.isTrue(is("screen", "/usr/bin/screen-4.9.0", 0))
    assert.isTrue(is("wezterm-mux-ser", "/usr/bin/wezterm-mux-server", 0))
    assert.isTrue(is("tmux: server", "/usr/bin/tmux (deleted)", 0), "its package was upgraded under it")
    assert.isTrue(is("kitty", "/home/me/.local/kitty.app/bin/kitty", 1000))
    assert.isFalse(is("tmux", "/home/me/project/tmux", 1000), "a copy of anything")
    assert.isFalse(is("tmux", "/srv/project/tmux", 0, 0), "all that root's agent makes is root's")
    assert.isFalse(is("tmux", "/usr/bin/bash", 0), "a script of that name")
    assert.isFalse(is("sh", "/usr/bin/tmux", 0), "a client goes by another name")
    // `screen` has rights of root, so its program is hidden. A terminal that is lost is worse than a tool that is left.
    assert.isTrue(isTerminalServer("screen", undefined, 1000, installed))
  })

  it("a tag on another user's process counts for nothing", () => {
    const processes = new Map([
      [20, { uid: 1000, MARK: "w-g1" }],
      [21, { uid: 1002, MARK: "w-g1" }],
      [22, { uid: 1000, MARK: "another" }]
    ])
    const asked: Array<number> = []
    const seen = {
      carries: (pid: number, environments: ReadonlyArray<Readonly<Record<string, string>>>) =>
        environments.some(({ MARK }) => processes.get(pid)?.MARK === MARK),
      uid: ({ pid }: { readonly pid: number }) => (asked.push(pid), processes.get(pid)?.uid)
    }
    const all = [20, 21, 22, 23].map((pid) => ({ pid }))
    const carriers = (ours: number) => [...carriersOf(all, [{ environment: { MARK: "w-g1" } }], ours, seen)]
    assert.deepStrictEqual(carriers(1000), [20])
    assert.deepStrictEqual(carriers(1002), [21])
    // Root's souffleur could read every environment there is.
    assert.deepStrictEqual(carriers(0), [])
    assert.notInclude(asked, 22, "whose it is, is asked of those alone that carry it")
  })
})
