import type { Service } from "./Service.ts"

/** systemd.syntax(7): quoted, C escapes, and `%` begins a specifier. Line breaks cannot come here. */
const quoted = (text: string): string =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")}"`

/**
 * Seconds without a word until systemd ends it and starts it anew: as patient as the self-monitor is by default
 * (spec: behaviour#self-monitor).
 */
const watchdog = 180

/**
 * A systemd user unit. It ends souffleur alone and never an agent that souffleur has launched (`KillMode`,
 * `OOMPolicy`); an end with an exit code of souffleur's own is one that another start would not change; one by a
 * signal, by a defect (70), or silence, is a death. One that was asked for (SIGINT, SIGTERM) is no failure: the watch
 * can be resumed.
 */
export const systemdUnit = ({ environment, id, line: [program, ...args] }: Service, mark: string): string => {
  // The colon: no `$` is read as a variable. It stands within the quotes, as quotes may not begin inside a word.
  const line = [`:${program}`, ...args].map(quoted).join(" ")
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`)
  return `# ${mark}
[Unit]
Description=souffleur watches ${id}
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
WatchdogSec=${watchdog}
KillMode=process
OOMPolicy=continue

[Install]
WantedBy=default.target
`
}
