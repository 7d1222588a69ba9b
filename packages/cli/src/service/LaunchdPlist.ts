import type { Service } from "./Service.ts"

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
const key = (name: string) => `<key>${escaped(name)}</key>`
const text = (value: string) => `<string>${escaped(value)}</string>`

/** A launchd agent (launchd.plist(5)): started at each login, and again when it crashed; agents that it launched outlive it. */
export const launchdPlist = ({ environment, id, line }: Service, mark: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${mark} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${key("Label")}${text(`souffleur.${id}`)}
${key("ProgramArguments")}<array>${line.map(text).join("")}</array>
${key("EnvironmentVariables")}<dict>${Object.entries(environment)
  .map(([name, value]) => `${key(name)}${text(value)}`)
  .join("")}</dict>
${key("RunAtLoad")}<true/>
${key("KeepAlive")}<dict>${key("Crashed")}<true/></dict>
${key("AbandonProcessGroup")}<true/>
</dict>
</plist>
`
