import { assert, describe, it } from "@effect/vitest"
import { carriersOf, stillThose } from "../src/processes/Tags.ts"
import { isTerminalServer, namedAsOne } from "../src/processes/TerminalServer.ts"

describe("behaviour#stop", () => {
  it("terminal servers are known by their names as the kernel cuts them", () => {
    for (const name of ["tmux: server", "tmux: server (/", "screen", "zellij", "kitty", "wezterm-mux-ser"])
      assert.isTrue(namedAsOne(name), name)
    for (const name of ["tmux: client", "kitten", "screenshot", "claude", "sh"]) assert.isFalse(namedAsOne(name), name)
  })

  it("a known process is the same only with its boot, its start time and our own user", () => {
    const stat = { name: "worker", state: "S", parent: 1, group: 1, processor: 0, threads: 1 }
    const rows = new Map([20, 21, 22].map((pid) => [pid, { ...stat, pid, startTime: pid }]))
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
