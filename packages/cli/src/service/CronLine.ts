import { shellWord } from "@souffleur/plan"
import type { Service } from "./Service.ts"

/** Says how cron starts a service with the machine. Cron would take a percent sign for a line break. */
export const byCron = ({ environment, line }: Service): string => {
  const words = [
    ...Object.entries(environment).map(([name, value]) => `${name}=${shellWord(value)}`),
    ...line.map(shellWord)
  ]
  return `without systemd, cron does it: "crontab -e", and this line there: @reboot ${words.join(" ").replaceAll("%", "\\%")}`
}
