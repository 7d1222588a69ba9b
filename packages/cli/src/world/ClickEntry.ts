import { HostServices } from "@souffleur/node"
import { answerNotice } from "@souffleur/node/notice"
import { answerClick } from "@souffleur/notify"
import { Effect } from "effect"

/** Runs `souffleur __click`: waits for a click on a notice of the desktop. */
export const runClick = (): Promise<void> =>
  answerNotice((order) => Effect.provide(answerClick(order), HostServices.layer))
