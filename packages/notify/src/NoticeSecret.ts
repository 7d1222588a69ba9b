import { publicNtfy, serverUrl } from "@souffleur/domain"
import { NoticeLost, readTrusted } from "@souffleur/process"
import { Effect, Option, Path, Redacted } from "effect"

/** The secrets of servers. Each is a variable with `SOUFFLEUR_` before it, or a line of the file. */
export type SecretName = "NTFY_TOKEN" | "SLACK_URL" | "TELEGRAM_TOKEN"

/** The places of secrets: souffleur's environment, else `secrets` in the state folder, with `KEY=value` lines. */
export interface SecretPlaces {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly stateDir: string
}

const refused = (message: string) => new NoticeLost({ tries: 0, message })

/**
 * Returns a secret; `None`: there is none. Fails with `NoticeLost` where others could read its file.
 */
export const secretOf = Effect.fn("secretOf")(function* (name: SecretName, { stateDir, variables }: SecretPlaces) {
  const variable = variables[`SOUFFLEUR_${name}`]?.trim() ?? ""
  if (variable !== "") return Option.some(Redacted.make(variable))
  const file = (yield* Path.Path).join(stateDir, "secrets")
  const bytes = yield* readTrusted(file, { own: true, others: "nothing", atMost: 65_536 }).pipe(
    Effect.catchTag("FileRefused", ({ message, missing }) =>
      missing ? Effect.succeed(new Uint8Array()) : Effect.fail(refused(message))
    )
  )
  const line = new TextDecoder()
    .decode(bytes)
    .split("\n")
    .findLast((line) => line.slice(0, line.indexOf("=")).trim() === name)
  const value = line?.slice(line.indexOf("=") + 1).trim() ?? ""
  return value === "" ? Option.none() : Option.some(Redacted.make(value))
})

/** A token, and the one server that gets it. */
export interface Token {
  readonly value: string
  /** Has no slash at its end. */
  readonly server: string
}

const servers = { NTFY_TOKEN: publicNtfy, TELEGRAM_TOKEN: "https://api.telegram.org" } as const

/**
 * Reads a token, which is for the public server, or for the one behind an `@`: `TOKEN@https://SERVER`. So no other
 * server that a config file names ever gets it. `undefined`: it has another form.
 */
export const tokenOf = (name: keyof typeof servers, secret: Redacted.Redacted): Token | undefined => {
  const [, value = "", server] = /^([\w:-]+)(?:@(\S+))?$/u.exec(Redacted.value(secret)) ?? []
  if (value === "") return undefined
  if (server === undefined) return { value, server: servers[name] }
  const url = serverUrl(server)
  return url === undefined ? undefined : { value, server: url.href.replace(/\/$/u, "") }
}
