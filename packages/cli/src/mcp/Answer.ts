import { iso, type Watch } from "@souffleur/domain"

const farewell = "You are stopped and a successor is launched. End your turn now and start nothing new."
const goOn = "You are not stopped: go on as far as you can, and tell a person."
const quiet = (until: number) =>
  `Nothing is launched before ${iso(until)} (quiet hours): go on as far as you can; then you are stopped and a successor is launched.`

/** Answers an agent's request for a recovery of its context, by the state that followed in the log. */
export const recoveryAnswer = ({ recovery, standby, wait }: Watch): string => {
  if (standby !== undefined) return `souffleur stands by: ${standby.message}. ${goOn}`
  if (wait !== undefined) return quiet(wait.until)
  return recovery?.purpose === "export"
    ? "It is the third time without progress: you are stopped, your conversation is kept for a person, and no successor is launched."
    : farewell
}

/** Answers a request that a watcher has still to see. `quietUntil`: epoch ms, or `null` outside the quiet hours. */
export const answerWithComms = ({ ceiling, observe }: Watch, quietUntil: number | null): string => {
  if (observe || ceiling !== undefined)
    return `comms has it, but souffleur launches no successor: it ${observe ? "only observes" : "has reached its ceiling"}. ${goOn}`
  return quietUntil === null ? `At souffleur's next look, within a minute or so: ${farewell}` : quiet(quietUntil)
}
