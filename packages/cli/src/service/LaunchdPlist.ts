import { defectCode } from "../Uncaught.ts"
import type { Service } from "./Service.ts"

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
const key = (name: string) => `<key>${escaped(name)}</key>`
const text = (value: string) => `<string>${escaped(value)}</string>`

/** The variable that marks a souffleur of launchd. It is removed for the processes that souffleur starts. */
export const underLaunchd = "SOUFFLEUR_UNDER_LAUNCHD"

/**
 * Returns the exit code for launchd, which starts a program again after each code but 0. Only a defect should lead to
 * another start. All other ends of souffleur would come again, so they count as success.
 */
export const codeUnderLaunchd = (code: number): number => (code === defectCode ? code : 0)

/**
 * Returns a launchd agent (launchd.plist(5)). It starts at each login, and again after a kill, a crash or a defect. The
 * agents that it launched outlive it.
 */
export const launchdPlist = (
  { environment, id, line }: Service,
  mark: string
): string => `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${mark} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${key("Label")}${text(`souffleur.${id}`)}
${key("ProgramArguments")}<array>${line.map(text).join("")}</array>
${key("EnvironmentVariables")}<dict>${Object.entries({ ...environment, [underLaunchd]: "1" })
  .map(([name, value]) => `${key(name)}${text(value)}`)
  .join("")}</dict>
${key("RunAtLoad")}<true/>
${key("KeepAlive")}<dict>${key("SuccessfulExit")}<false/></dict>
${key("AbandonProcessGroup")}<true/>
</dict>
</plist>
`
