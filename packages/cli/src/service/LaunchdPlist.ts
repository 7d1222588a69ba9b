import { defectCode } from "../Failure.ts"
import type { Service } from "./Service.ts"

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
const key = (name: string) => `<key>${escaped(name)}</key>`
const text = (value: string) => `<string>${escaped(value)}</string>`

/** Stands in the environment of a souffleur that launchd has started, and of nobody whom that starts. */
export const underLaunchd = "SOUFFLEUR_UNDER_LAUNCHD"

/**
 * What launchd is told of an end. It knows no exit codes but 0 and starts again whatever ends with another: so every
 * end of souffleur's own is a success to it, which another start would meet again, and a defect is none.
 */
export const codeUnderLaunchd = (code: number): number => (code === defectCode ? code : 0)

/**
 * A launchd agent (launchd.plist(5)): started at each login, and again when it was killed, crashed, or ended by a
 * defect; agents that it launched outlive it.
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
