import type { DeedKind } from "./Deed.ts"

/** What implementers chat besides their verdict: in no log, no prompt, no message. */
export const chatter = "a-secret-that-an-agent-chatted"
/** What implementers say of their work: in no reviewer's prompt. */
export const boast = "an-implementer-praised-its-work"

const complete = `Done. ${chatter} ${boast}\n\nIMPLEMENTATION_COMPLETE\ncommits: ${boast}\nfiles_changed: [${boast}]\ntest_file: ${boast}\n`
const blocked = `${chatter}\n\nIMPLEMENTATION_BLOCKED\nreason: no key for the service\n`
const approved = `${chatter}\n\nAPPROVED\nsummary: it does what it should\n`
const rejected = `${chatter}\n\nREJECTED\nsummary: not yet\nissues:\n- an issue\nsuggestions:\n- a suggestion\n`
const form = `${chatter}\n\nIMPLEMENTATION_COMPLETE\ncommits: [list of commit hashes]\nfiles_changed: [list of modified files]\ntest_file: [path to test file]\n\nAPPROVED\nsummary: [brief summary of what was implemented]\n`
/** More than is looked at of the end of what an agent printed. */
const megabytes = `${`${chatter} APPROVED of it, or REJECTED `.repeat(40)}\n`.repeat(900)

/** What an agent's words come to, for whoever knows what it did: `nothing` is no verdict at all. */
export type Said = "complete" | "blocked" | "approved" | "rejected" | "both" | "nothing"

/** The last words of an agent that does this, and what they come to. */
export const lastWords = (kind: DeedKind): { readonly text: string; readonly said: Said } => {
  switch (kind) {
    case "completes":
    case "claims without a commit":
    case "claims an empty commit":
    case "leaves changes":
    case "leaves a conflict":
    case "takes a commit away":
      return { text: complete, said: "complete" }
    case "prints megabytes, then completes":
      return { text: megabytes + complete, said: "complete" }
    case "completes, then prints megabytes":
      return { text: complete + megabytes, said: "nothing" }
    case "is blocked":
      return { text: blocked, said: "blocked" }
    case "completes and is blocked":
      return { text: `${complete}IMPLEMENTATION_BLOCKED\nreason: no key for the service\n`, said: "both" }
    case "approves":
    case "approves without a look":
    case "commits, and approves":
    case "changes files, and approves":
      return { text: approved, said: "approved" }
    case "prints megabytes, then approves":
      return { text: megabytes + approved, said: "approved" }
    case "rejects":
      return { text: rejected, said: "rejected" }
    case "approves, and names issues":
      return { text: `APPROVED\nsummary: it does, almost\nissues:\n- an issue\n`, said: "both" }
    case "approves and rejects":
      return { text: `${approved}REJECTED\nsummary: not yet\nissues:\n- an issue\n`, said: "both" }
    case "prints garbage":
      return { text: `${chatter}\n\u0000\ufffd{"APPROVED": IMPLEMENTATION_COMPLETE`, said: "nothing" }
    case "repeats the form":
      return { text: form, said: "nothing" }
    case "commits, and is cut off":
      return { text: `${chatter}\nIMPLEMENTATION_COM`, said: "nothing" }
    case "hits a usage limit":
    case "hits an outage":
      return { text: "the service says no\n", said: "nothing" }
    case "says nothing":
    case "hangs":
    case "finishes":
    case "fails":
      return { text: "", said: "nothing" }
  }
}
