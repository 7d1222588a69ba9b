import { everyWatch, type Service } from "./Service.ts"

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

/**
 * Returns a systemd user unit. It ends souffleur alone and never an agent that souffleur has launched (`KillMode`,
 * `OOMPolicy`). After an exit code of souffleur's own, another start would change nothing. A signal, a defect (70) or
 * silence leads to a new start. An end that was asked for (SIGINT, SIGTERM) is no failure: the watch can be resumed.
 * The service of every watch has no beats of its own, so no silence of it counts.
 */
export const systemdUnit = ({ environment, id, line: [program, ...args] }: Service, mark: string): string => {
  // The colon keeps systemd from reading `$` as a variable. It is within the quotes, because quotes may not begin
  // inside a word.
  const line = [`:${program}`, ...args].map(quoted).join(" ")
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`)
  return `# ${mark}
[Unit]
Description=souffleur watches ${id === everyWatch ? "every unfinished watch" : id}
StartLimitIntervalSec=600
StartLimitBurst=5

[Service]
Type=notify
NotifyAccess=all
ExecStart=${line}
${variables.join("\n")}
Restart=on-failure
RestartSec=1
RestartPreventExitStatus=1 2 3 4
SuccessExitStatus=130 143
${id === everyWatch ? "" : `WatchdogSec=${watchdogSeconds}\n`}KillMode=process
OOMPolicy=continue

[Install]
WantedBy=default.target
`
}
