import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { join } from "node:path"
import { defectCode } from "../src/Uncaught.ts"
import { launchdPlist } from "../src/service/LaunchdPlist.ts"
import { everyWatch, type Service, serviceOf, shipper } from "../src/service/Service.ts"
import { systemdUnit } from "../src/service/SystemdUnit.ts"
import { surroundingsIn } from "./Surroundings.ts"

/** Reads a line of quoted words and their specifiers as systemd.syntax(7) does: `%h` would be the home. */
const words = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map(([, word]) =>
    word!.replaceAll(/\\(.)/gu, "$1").replaceAll(/%(.)/gu, (_, letter) => (letter === "%" ? "%" : `<${letter}>`))
  )
const values = (unit: string, name: string) =>
  unit.split("\n").flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []))

const unescaped = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
const strings = (xml: string, name: string) =>
  [...xml.matchAll(/<(?:string|key)>([^<]*)<\/(?:string|key)>/gu)]
    .map(([, text]) => unescaped(text!))
    .slice([...xml.matchAll(/<(?:string|key)>([^<]*)<\/(?:string|key)>/gu)].findIndex(([, text]) => text === name) + 1)

const nasty: Service = {
  id: "opera-3f2a",
  line: [
    "/opt/my programs/100%n/no\\de",
    '/home/it\'s "mine"/$HOME/${PATH}/souffleur.js',
    "watch",
    "--resume",
    "opera-3f2a"
  ],
  environment: { PATH: "/usr/bin:/opt/a b/%h", SOUFFLEUR_AGENT_COMMAND: '["claude","--say","50% \\"off\\" $5 <&>"]' }
}
// A word is one line, because a file's name may hold anything else. The rest of what a manager refuses cannot be given
// to a process either.
const Line = Schema.String.check(Schema.isPattern(/^[^\0\n\r]*$/u))

const analyze = spawnSync("systemd-analyze", ["--version"]).status === 0

describe("behaviour#service", () => {
  it("a unit keeps every word as it is: spaces, quotes, backslashes, percent signs, dollars", () => {
    const unit = systemdUnit(nasty, "ours")
    const [program, ...args] = words(values(unit, "ExecStart")[0]!)
    // The colon is systemd's: no variable is put in.
    assert.deepStrictEqual([program?.slice(0, 1), program?.slice(1), ...args], [":", ...nasty.line])
    assert.deepStrictEqual(
      values(unit, "Environment").flatMap(words),
      Object.entries(nasty.environment).map(([name, value]) => `${name}=${value}`)
    )
  })
  it.prop("a unit keeps any word as it is", [Line, Line], ([a, b]) => {
    const unit = systemdUnit({ id: "a-1", line: [`/${a}`, b], environment: { PATH: b } }, "ours")
    assert.deepStrictEqual(words(values(unit, "ExecStart")[0]!), [`:/${a}`, b])
    assert.deepStrictEqual(values(unit, "Environment").flatMap(words), [`PATH=${b}`])
  })
  it("a unit ends souffleur alone, and starts it again after a death or silence, but not after its own exit codes", () => {
    const unit = systemdUnit(nasty, "ours")
    for (const line of [
      "KillMode=process",
      "OOMPolicy=continue",
      "Restart=on-failure",
      "RestartPreventExitStatus=1 2 3 4",
      "SuccessExitStatus=130 143",
      "Type=notify",
      "NotifyAccess=all",
      "WatchdogSec=180",
      "WantedBy=default.target"
    ])
      assert.include(unit.split("\n"), line)
  })
  it.skipIf(!analyze)("a unit is valid for systemd itself", () => {
    const folder = fs.mkdtempSync(join(os.tmpdir(), "souffleur 100%-"))
    try {
      const [program, file] = [join(folder, "a program"), join(folder, "souffleur-opera-3f2a.service")]
      fs.writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 })
      for (const id of [nasty.id, shipper]) {
        fs.writeFileSync(file, systemdUnit({ ...nasty, id, line: [program, ...nasty.line.slice(1)] }, "ours"))
        // `--man=no`: what it says is of this unit alone.
        const verified = spawnSync("systemd-analyze", ["verify", "--man=no", "--recursive-errors=no", file], {
          encoding: "utf8"
        })
        assert.deepStrictEqual([verified.status, verified.stderr], [0, ""])
      }
      // It sees what is wrong, too.
      fs.writeFileSync(file, systemdUnit({ ...nasty, line: [join(folder, "nothing")] }, "ours"))
      assert.notStrictEqual(
        spawnSync("systemd-analyze", ["verify", "--man=no", "--recursive-errors=no", file]).status,
        0
      )
    } finally {
      fs.rmSync(folder, { recursive: true, force: true })
    }
  })

  describe("a launchd agent", () => {
    it("a property list keeps every word as it is, and leaves souffleur's launches alone", () => {
      const plist = launchdPlist(nasty, "ours")
      assert.deepStrictEqual(strings(plist, "ProgramArguments").slice(0, nasty.line.length), [...nasty.line])
      assert.deepStrictEqual(
        strings(plist, "EnvironmentVariables").slice(0, 4),
        Object.entries(nasty.environment).flat()
      )
      assert.match(plist, /<key>AbandonProcessGroup<\/key><true\/>/)
      assert.match(plist, /<key>KeepAlive<\/key><dict><key>SuccessfulExit<\/key><false\/><\/dict>/)
    })
    const python = spawnSync("python3", ["-c", "import plistlib"]).status === 0
    it.skipIf(!python)("a property list is valid for a reader of property lists", () => {
      const script = "import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))"
      const read = JSON.parse(
        execFileSync("python3", ["-c", script], { input: launchdPlist(nasty, "ours"), encoding: "utf8" })
      )
      assert.deepStrictEqual(read, {
        Label: "souffleur.opera-3f2a",
        ProgramArguments: [...nasty.line],
        EnvironmentVariables: { ...nasty.environment, SOUFFLEUR_UNDER_LAUNCHD: "1" },
        RunAtLoad: true,
        KeepAlive: { SuccessfulExit: false },
        AbandonProcessGroup: true
      })
    })
  })

  it("a service keeps the paths of programs and settings, and no key", () => {
    const variables = {
      PATH: "/bin",
      HOME: "/home/a",
      ANTHROPIC_API_KEY: "secret",
      SOUFFLEUR_STATE_DIR: "/state",
      SOUFFLEUR_LAUNCH_ID: "opera-3f2a-g2",
      SOUFFLEUR_LAUNCHER: "",
      NODE_EXTRA_CA_CERTS: "/ours.pem",
      CLAUDE_CODE_OAUTH_TOKEN: "secret",
      CLAUDE_CONFIG_DIR: "/claude"
    }
    const surroundings = surroundingsIn("/", variables, { self: ["/node", "/souffleur.js"] })
    assert.deepStrictEqual(serviceOf("opera-3f2a", surroundings), {
      id: "opera-3f2a",
      line: ["/node", "/souffleur.js", "watch", "--resume", "opera-3f2a", "--quiet"],
      environment: {
        PATH: "/bin",
        SOUFFLEUR_STATE_DIR: "/state",
        NODE_EXTRA_CA_CERTS: "/ours.pem",
        CLAUDE_CONFIG_DIR: "/claude"
      }
    })
    const all = serviceOf(everyWatch, surroundings)
    assert.deepStrictEqual(all.line, ["/node", "/souffleur.js", "resume", "--all", "--keep"])
    // No watch's beats could feed its watchdog.
    assert.notInclude(systemdUnit(all, "ours"), "WatchdogSec")
  })
})

describe("behaviour#defects", () => {
  it("a unit starts souffleur again after a defect, and after no exit code that another start would repeat", () => {
    const unit = systemdUnit(nasty, "ours")
    const codes = [...values(unit, "RestartPreventExitStatus"), ...values(unit, "SuccessExitStatus")].flatMap((line) =>
      line.split(" ")
    )
    assert.deepStrictEqual(values(unit, "Restart"), ["on-failure"])
    assert.notInclude(codes, String(defectCode))
    assert.includeMembers(codes, ["1", "2", "3", "4"])
  })
})

describe("fleet#a-host", () => {
  it("the service of a shipper is tried each minute after a trouble that may pass, and not after a fork", () => {
    const service = serviceOf(shipper, surroundingsIn("/", {}, { self: ["/node", "/souffleur.js"] }))
    assert.deepStrictEqual(service.line, ["/node", "/souffleur.js", "fleet", "ship"])
    const lines = systemdUnit(service, "ours").split("\n")
    assert.includeMembers(lines, ["RestartSec=60", "RestartPreventExitStatus=2 3", "StartLimitIntervalSec=0"])
    assert.notInclude(lines.join("\n"), "WatchdogSec")
  })
})
