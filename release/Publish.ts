import { Config, Console, Effect, Option, Redacted, Runtime, Schema } from "effect"
import { command } from "./Command.ts"
import type { Tarball } from "./Tarball.ts"

/** `NPM_TOKEN` is not set, and no workflow runs here that the registry may trust without a token (exit code 2). */
export class TokenMissing extends Schema.TaggedError<TokenMissing>()("TokenMissing", {}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return "Nothing was published: NPM_TOKEN is not set. It is a token of the registry that may publish."
  }
}

const npm = (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) =>
  command(".", ["npm", ...args, "--no-update-notifier"], env)

/** The registry has a version already if a release broke off and is run again. */
const isPublished = ({ manifest: { name, version } }: Tarball) =>
  npm(["view", `${name}@${version}`, "version"]).pipe(
    Effect.map((found) => found.includes(version)),
    Effect.catchIf(
      (error) => error._tag === "CommandFailed" && error.output.includes("E404"),
      () => Effect.succeed(false)
    )
  )

/**
 * Publishes tarballs in their order, without those that the registry has. In a workflow of GitHub that may say who it is
 * (`id-token: write`) npm itself trades that for a token. Elsewhere it fails with `TokenMissing` without `NPM_TOKEN`,
 * after npm showed what it would publish. Fails with `CommandFailed` where npm does.
 */
export const publish = Effect.fn("publish")(function* (tarballs: ReadonlyArray<Tarball>) {
  const token = yield* Config.option(Config.Redacted("NPM_TOKEN"))
  const mayPublish =
    Option.isSome(token) || Option.isSome(yield* Config.option(Config.String("ACTIONS_ID_TOKEN_REQUEST_URL")))
  const registry = (yield* npm(["config", "get", "registry"])).trim().replace(/^https?:/u, "")
  // In the environment, where neither a file nor the list of processes shows it.
  const login = Option.map(token, (secret) => ({ [`npm_config_${registry}:_authToken`]: Redacted.value(secret) }))
  for (const tarball of tarballs) {
    const { name, version } = tarball.manifest
    if (yield* isPublished(tarball)) {
      yield* Console.log(`${name} ${version} was published before`)
      continue
    }
    const args = ["publish", tarball.file, "--access", "public"]
    const said = yield* npm(mayPublish ? args : [...args, "--dry-run"], Option.getOrUndefined(login))
    yield* Console.log(mayPublish ? `${name} ${version} is published` : said)
  }
  if (!mayPublish) return yield* new TokenMissing()
})
