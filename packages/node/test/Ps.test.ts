import { assert, describe, it } from "@effect/vitest"
import { conditionOf } from "../src/processes/ProcessSource.ts"
import { macOs, parseLine, parseStarted, psSource, wholeLockersIn } from "../src/processes/Ps.ts"

describe("behaviour#signs", () => {
  it("a line of ps is read, whatever the name of the program", () => {
    const line = "  812     1   501 S+   ttys003  Mon Nov 23 04:46:09 2026       1:02.34 Code Helper 7 "
    assert.deepStrictEqual(parseLine(line), {
      pid: 812,
      name: "Code Helper 7",
      state: "S",
      parent: 1,
      hasTerminal: true,
      processor: 6234,
      threads: 1,
      startTime: 1_795_409_169,
      uid: 501
    })
    for (const none of ["??", "?", "-"]) assert.isFalse(parseLine(line.replace("ttys003", none))?.hasTerminal)
    assert.strictEqual(parseLine(line.replace("1:02.34", "1-02:03:04"))?.processor, 9_378_400)
    assert.strictEqual(conditionOf(parseLine(line.replace("S+", "Z "))!), "zombie")
    assert.strictEqual(conditionOf(parseLine(line.replace("S+", "T "))!), "stopped")
  })

  it("a line that is none of ps, or has no start, names no process", () => {
    assert.strictEqual(parseLine("    7     0    -2 S    ??  Mon Nov 23 04:46:09 2026       0:00.00 ")?.uid, -2)
    for (const line of ["", "ps: illegal argument", "  812     1   501 S   ??  -       1:02.34 sh"])
      assert.isUndefined(parseLine(line), line)
  })

  it("a start is read to the second, and a foreign month is none", () => {
    assert.strictEqual(parseStarted("Thu Jan  1 00:00:07 1970"), 7)
    assert.isUndefined(parseStarted("Do Mai  1 00:00:07 1970"))
  })
  it("a ps that fails or is not there is no sign that a process is gone", () => {
    const failing = (ps: string) => psSource({ ...macOs, ps }).stat(process.pid)
    assert.throws(() => failing("/nowhere/ps"), /ENOENT/u)
    // Node refuses our columns with a complaint, as a foreign ps would.
    assert.throws(() => failing(process.execPath), /exit code 9/u)
    assert.throws(() => failing("/bin/true"), /exit code 0/u)
    assert.throws(() => failing("/bin/echo"), /cannot be read/u)
  })

  it("a lock that lsof shows counts if it is of the whole file", () => {
    assert.deepStrictEqual(wholeLockersIn("p12\nf3\nlW\np13\nf3\nlw\np14\nf3\nl \np15\nf3\nl \nf4\nlR\n"), [12, 15])
  })
})
