import { plain, Words } from "@souffleur/domain"
import { saidGoodbye, silentMillis } from "@souffleur/fleet"
import type { LogStanding } from "@souffleur/hub"
import { Console, Effect } from "effect"
import { printLines } from "../Printing.ts"

/** Returns a log on one line. Its host has named itself. */
const logLine = ({ away, enrolledHost, forked, host, lastSeenAgo, log, mark, revoked, takesWords }: LogStanding) =>
  [
    enrolledHost,
    plain(host),
    log,
    `position ${mark.position}`,
    `${Words.duration(lastSeenAgo)} ago`,
    ...(takesWords ? [] : ["takes no words"]),
    ...(lastSeenAgo > silentMillis ? [saidGoodbye({ away, lastSeenAgo }) ? "away" : "silent"] : []),
    ...(forked ? ["forked"] : []),
    ...(revoked ? ["revoked"] : [])
  ].join("  ")

const logJson = (one: LogStanding) => ({
  name: one.enrolledHost,
  revoked: one.revoked,
  log: one.log,
  host: one.host,
  position: one.mark.position,
  last_seen_ms: one.lastSeenAgo,
  silent: one.lastSeenAgo > silentMillis,
  away: saidGoodbye(one),
  skew_ms: one.skew,
  forked: one.forked,
  takes_words: one.takesWords
})

/** Prints the logs that a hub has, and when each host last spoke (spec: command-line#fleet). */
export const printLogs = Effect.fn("printLogs")(function* (
  logs: ReadonlyArray<LogStanding>,
  { asJson }: { readonly asJson: boolean }
) {
  if (asJson) return yield* Console.log(JSON.stringify(logs.map(logJson)))
  if (logs.length === 0) return yield* Console.log("No host has shipped yet.")
  yield* printLines(logs.map(logLine).join("\n"))
})
