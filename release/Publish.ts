import { Config, Console, Effect, Option, Redacted, Runtime, Schema } from "effect"
import { command } from "./Command.ts"
import type { Tarball } from "./Tarball.ts"

/** `NPM_TOKEN` is not set, and the registry takes no package without a token (exit code 2). */
export class TokenMissing extends Schema.TaggedError<TokenMissing>()("TokenMissing", {}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return "Nothing was published: NPM_TOKEN is not set. It is a token of the registry that may publish."
  }
}

const npm = (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) =>
  command(".", ["npm", ...args, "--no-update-notifier"], env)

/** Whether the registry has this version already: a release that broke off is run again. */
const isPublished = ({ manifest: { name, version } }: Tarball) =>
  npm(["view", `${name}@${version}`, "version"]).pipe(
    Effect.map((found) => found.includes(version)),
    Effect.catchIf(
      (error) => error._tag === "CommandFailed" && error.output.includes("E404"),
      () => Effect.succeed(false)
    )
  )

/**
 * Publishes tarballs in their order, without those that the registry has. Fails with `TokenMissing` without `NPM_TOKEN`,
 * after npm showed what it would publish. Fails with `CommandFailed` where npm does.
 */
export const publish = Effect.fn("publish")(function* (tarballs: ReadonlyArray<Tarball>) {
  const token = yield* Config.option(Config.Redacted("NPM_TOKEN"))
  if (Option.isNone(token)) {
    for (const { file } of tarballs)
      yield* Console.log(yield* npm(["publish", file, "--access", "public", "--dry-run"]))
    return yield* new TokenMissing()
  }
  const registry = (yield* npm(["config", "get", "registry"])).trim().replace(/^https?:/u, "")
  // In the environment, where neither a file nor the list of processes shows it.
  const login = { [`npm_config_${registry}:_authToken`]: Redacted.value(token.value) }
  for (const tarball of tarballs) {
    const { name, version } = tarball.manifest
    const there = yield* isPublished(tarball)
    if (!there) yield* npm(["publish", tarball.file, "--access", "public"], login)
    yield* Console.log(`${name} ${version} ${there ? "was published before" : "is published"}`)
  }
})
