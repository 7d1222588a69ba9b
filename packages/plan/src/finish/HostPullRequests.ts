import { Settings } from "@souffleur/domain"
import { replaceDurably, runProgram } from "@souffleur/process"
import { type Duration, Effect, FileSystem, Path, Result } from "effect"
import { gitIn, variablesNamed } from "../git/GitProgram.ts"
import type { ProposedWork, PushedWork } from "./PullRequestPort.ts"

/** Variables by which git and gh find the keys of a remote, and the way to it. */
const outwards = [
  "SSH_AUTH_SOCK",
  "GIT_SSH_COMMAND",
  "GIT_SSH",
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
  "NO_PROXY",
  "no_proxy",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "GH_ENTERPRISE_TOKEN",
  "GITHUB_ENTERPRISE_TOKEN",
  "GH_HOST",
  "GH_CONFIG_DIR"
]
/** The ways to a remote: no program of an address (`ext::`), and nothing without a key or in clear text. */
const ways = { GIT_ALLOW_PROTOCOL: "https:ssh:file" }

/** Nobody is there to answer a question of git or ssh, which ask the program `false`. They speak English. */
const unattended = {
  GIT_ASKPASS: "false",
  SSH_ASKPASS: "false",
  SSH_ASKPASS_REQUIRE: "force",
  GCM_INTERACTIVE: "never",
  LC_ALL: "C"
}

/** How a remote, or git itself, refuses a push for good; any other failure may be over by the morning. */
const refused =
  /permission .*denied|authentication failed|could not read (?:username|password)|not found|does not appear to be a git repository|host key verification failed|\[(?:remote )?rejected\]|returned error: 40[134]|transport '[^']*' not allowed/iu

/** Returns the name by which gh knows the repository at an address; `undefined`: by none. */
export const repositoryAt = (url: string): string | undefined => {
  const [, host, path] =
    /^(?:(?:https|ssh):\/\/(?:[^@/]*@)?([\w.-]+)(?::\d+)?\/|(?:[\w.-]+@)?([\w.-]+):)([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/u
      .exec(url)
      ?.filter((part) => part !== undefined) ?? []
  return host === undefined ? undefined : `${host}/${path}`
}

/** Takes the keys out of addresses, since the log has what it returns. */
const withoutKeys = (text: string) => text.replaceAll(/\/\/[^/\s@]*@/gu, "//").slice(0, 2000)
const isAddress = (text: string) => /^https?:\/\/[!-~]{1,500}$/u.test(text)
/** Returns the address of an open pull request in what gh printed as JSON; `undefined`: there is none. */
const openIn = (printed: string) => /"url"\s*:\s*"(https?:\/\/[!-~]+?)"/u.exec(printed)?.[1]

/**
 * Pushes work and opens pull requests. A push is made from an empty repository beside the project's objects, since that
 * of the project may name programs: hooks, helpers, other ways to the address. What gh is missing for is written into
 * the state folder.
 */
export const hostPullRequests = Effect.fn("hostPullRequests")(function* (project: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { stateDir } = yield* Settings
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof runProgram | typeof replaceDurably>>>()
  const asked = yield* gitIn(project)
  const line = (...args: ReadonlyArray<string>) =>
    Effect.map(asked.git(["rev-parse", ...args]), (text) => path.resolve(project, text.replace(/\n$/u, "")))

  /** Pushes from a folder that becomes a repository without a configuration of its own. */
  const pushFrom = Effect.fnUntraced(function* (
    folder: string,
    { branch, commit, remote: { url } }: PushedWork,
    { dry, within }: { readonly dry: boolean; readonly within: Duration.Input }
  ) {
    const root = yield* line("--show-toplevel")
    const format = (yield* asked.git(["rev-parse", "--show-object-format"])).trim()
    const outward = { ...(yield* variablesNamed(outwards)), ...ways, ...unattended }
    const objects = yield* line("--git-path", "objects")
    const empty = yield* gitIn(folder, {
      within,
      outward: { ...outward, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) }
    })
    yield* empty.git(["init", "--quiet", "--bare", "--template=", `--object-format=${format}`])
    yield* Effect.ignore(fs.copyFile(yield* line("--git-path", "shallow"), path.join(folder, "shallow")))
    // A path is meant from the project on.
    const address = /^[^/]*:/u.test(url) ? url : path.resolve(root, url)
    yield* empty.git([
      "push",
      "--quiet",
      "--no-signed",
      ...(dry ? ["--dry-run"] : []),
      "--",
      address,
      `${commit}:refs/heads/${branch}`
    ])
  })

  const push = Effect.fnUntraced(function* (work: PushedWork) {
    const folder = yield* fs.makeTempDirectoryScoped({ directory: stateDir, prefix: "push-" })
    yield* pushFrom(folder, work, { dry: false, within: "10 minutes" })
    return folder
  })

  /** Asks the remote as a push does, and sends nothing. Returns why it would be refused; `null`: it would not. */
  const tryPush = Effect.fn("hostPullRequests.tryPush")(
    function* (work: PushedWork) {
      // A look makes no state folder.
      const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-push-" })
      yield* pushFrom(folder, work, { dry: true, within: "10 seconds" })
      return null
    },
    Effect.scoped,
    Effect.catch(({ message }) => Effect.succeed({ problem: withoutKeys(message), sure: refused.test(message) })),
    Effect.provide(services)
  )

  const gh = Effect.fnUntraced(function* (cwd: string, args: ReadonlyArray<string>, stdin = "") {
    return yield* runProgram({
      command: "gh",
      args,
      cwd,
      stdin,
      within: "2 minutes",
      atMost: 1_000_000,
      heard: true,
      environment: {
        ...(yield* variablesNamed(outwards)),
        GH_PROMPT_DISABLED: "1",
        GH_NO_UPDATE_NOTIFIER: "1",
        GIT_TERMINAL_PROMPT: "0",
        NO_COLOR: "1"
      }
    })
  })

  /** Opens the pull request, or finds the one that is open. */
  const open = Effect.fnUntraced(function* (cwd: string, { body, branch, onto, remote, title }: ProposedWork) {
    const name = repositoryAt(remote.url)
    const at = ["--head", branch, ...(name === undefined ? [] : ["--repo", name])]
    const there = openIn(yield* gh(cwd, ["pr", "list", ...at, "--state", "open", "--json", "url"]))
    if (there !== undefined) return there
    const base = onto === null ? [] : ["--base", onto]
    const made = yield* gh(cwd, ["pr", "create", ...at, ...base, "--title", title, "--body-file", "-"], body)
    return made.trim().split("\n").at(-1) ?? ""
  })

  /** Writes what a person can paste, for this user alone. */
  const written = Effect.fnUntraced(function* ({ body, id, title }: ProposedWork) {
    const folder = path.join(stateDir, "pull-requests")
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    const file = path.join(folder, `${id}.md`)
    yield* replaceDurably(file, `# ${title}\n\n${body}\n`)
    return file
  })

  const propose = Effect.fn("hostPullRequests.propose")(
    function* (work: ProposedWork) {
      const { branch, remote } = work
      const pushed = yield* Effect.result(push(work))
      if (Result.isFailure(pushed))
        return { problem: withoutKeys(`${branch} was not pushed to ${remote.name}: ${pushed.failure.message}`) }
      const opened = yield* Effect.result(open(pushed.success, work))
      const url = Result.isSuccess(opened) && isAddress(opened.success) ? opened.success : null
      if (url !== null) return { _tag: "Pushed", remote: remote.name, url, text: null } as const
      const text = yield* written(work)
      if (Result.isFailure(opened) && opened.failure.ran)
        return {
          problem: `${branch} is pushed to ${remote.name}, and gh opened no pull request: ${opened.failure.message}: its text is ${text}`
        }
      return { _tag: "Pushed", remote: remote.name, url, text } as const
    },
    Effect.scoped,
    Effect.catch(({ message }) => Effect.succeed({ problem: message })),
    Effect.provide(services)
  )
  return { propose, tryPush }
})
