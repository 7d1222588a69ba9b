import { everyWatch, type Service, shipper } from "./Service.ts"

/**
 * Quotes a word as in systemd.syntax(7): with C escapes, and `%` doubled because it begins a specifier. The text has no
 * line breaks.
 */
const quoted = (text: string): string =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")}"`

/**
 * Seconds of silence after which systemd starts souffleur again. The self-monitor waits as long by default (spec:
 * behaviour#self-monitor).
 */
const watchdogSeconds = 180

const descriptionOf = (id: string): string => {
  if (id === shipper) return "souffleur ships its event log to the hub of its fleet"
  return `souffleur watches ${id === everyWatch ? "every unfinished watch" : id}`
}

/**
 * A watch has few new starts, and none after an exit code that another start would meet again. A shipper is started
 * each minute: a log may be locked for a while, and a token come back.
 */
const startsOf = (id: string) =>
  id === shipper
    ? { limit: "StartLimitIntervalSec=0", again: "RestartSec=60\nRestartPreventExitStatus=2 3" }
    : { limit: "StartLimitIntervalSec=600\nStartLimitBurst=5", again: "RestartSec=1\nRestartPreventExitStatus=1 2 3 4" }

/**
 * Returns a systemd user unit. It ends souffleur alone and never an agent that souffleur has launched (`KillMode`,
 * `OOMPolicy`). After an exit code of souffleur's own, another start would change nothing. A signal, a defect (70) or
 * silence leads to a new start. An end that was asked for (SIGINT, SIGTERM) is no failure: the watch can be resumed.
 * The service of every watch and the shipper have no beats of a watch, so no silence of them counts.
 */
export const systemdUnit = ({ environment, id, line: [program, ...args] }: Service, mark: string): string => {
  // The colon keeps systemd from reading `$` as a variable. It is within the quotes, because quotes may not begin
  // inside a word.
  const line = [`:${program}`, ...args].map(quoted).join(" ")
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`)
  const starts = startsOf(id)
  return `# ${mark}
[Unit]
Description=${descriptionOf(id)}
${starts.limit}

[Service]
Type=notify
NotifyAccess=all
ExecStart=${line}
${variables.join("\n")}
Restart=on-failure
${starts.again}
SuccessExitStatus=130 143
${id === everyWatch || id === shipper ? "" : `WatchdogSec=${watchdogSeconds}\n`}KillMode=process
OOMPolicy=continue

[Install]
WantedBy=default.target
`
}
