import { answerNotice } from "@souffleur/node/notice"
import { deliver } from "@souffleur/notify/errand"

// A program of its own, which alone speaks to a server of notices: `node notice.ts`.
await answerNotice(deliver)
