import type { DeedKind } from "./Deed.ts"

/** The chatter of implementers besides their verdict. It is in no log, no prompt, no message. */
export const chatter = "a-secret-that-an-agent-chatted"
/** The praise of implementers for their work. It is in no reviewer's prompt. */
export const boast = "an-implementer-praised-its-work"

const complete = (word: string) =>
  `Done. ${chatter} ${boast}\n\nIMPLEMENTATION_COMPLETE ${word}\ncommits: ${boast}\nfiles_changed: [${boast}]\ntest_file: ${boast}\n`
const blocked = (word: string) => `${chatter}\n\nIMPLEMENTATION_BLOCKED ${word}\nreason: no key for the service\n`
const approved = (word: string) => `${chatter}\n\nAPPROVED ${word}\nsummary: it does what it should\n`
const rejected = (word: string) =>
  `${chatter}\n\nREJECTED ${word}\nsummary: not yet\nissues:\n- an issue\nsuggestions:\n- a suggestion\n`
/** The minor findings of a review, the first of which each review has. */
const minor = (launchId: string) => ["a long name", `seen in ${launchId}`]
const noted = (launchId: string) =>
  `minor:\n${minor(launchId)
    .map((finding) => `- ${finding}\n`)
    .join("")}`
const form = (word: string) =>
  `${chatter}\n\nIMPLEMENTATION_COMPLETE ${word}\ncommits: [list of commit hashes]\nfiles_changed: [list of modified files]\ntest_file: [path to test file]\n\nAPPROVED ${word}\nsummary: [brief summary of what was implemented]\nminor:\n- [minor finding 1]\n`
/** More text than souffleur reads from the end of an agent's output. */
const megabytes = `${`${chatter} APPROVED of it, or REJECTED `.repeat(40)}\n`.repeat(900)

/** The true meaning of an agent's words, with its deed known: `nothing` is no verdict at all. */
export type Said = "complete" | "blocked" | "approved" | "rejected" | "both" | "nothing"

/** The last words of an agent with this deed, and their true meaning. `minor`: what it finds, and lets pass. */
export const lastWords = (
  kind: DeedKind,
  word: string,
  launchId: string
): { readonly text: string; readonly said: Said; readonly minor?: ReadonlyArray<string> } => {
  switch (kind) {
    case "completes":
    case "completes, and never exits":
    case "claims without a commit":
    case "claims an empty commit":
    case "leaves changes":
    case "leaves a conflict":
    case "takes a commit away":
      return { text: complete(word), said: "complete" }
    case "prints megabytes, then completes":
      return { text: megabytes + complete(word), said: "complete" }
    case "completes, then prints megabytes":
      return { text: complete(word) + megabytes, said: "nothing" }
    case "is blocked":
      return { text: blocked(word), said: "blocked" }
    case "completes and is blocked":
      return { text: `${complete(word)}IMPLEMENTATION_BLOCKED ${word}\nreason: no key for the service\n`, said: "both" }
    case "approves":
    case "approves, and never exits":
    case "approves without a look":
    case "commits, and approves":
    case "changes files, and approves":
      return { text: approved(word), said: "approved" }
    case "prints megabytes, then approves":
      return { text: megabytes + approved(word), said: "approved" }
    case "approves, and notes":
      return { text: approved(word) + noted(launchId), said: "approved", minor: minor(launchId) }
    case "rejects, and notes":
      return {
        text: `${chatter}\n\nREJECTED ${word}\nsummary: not yet\nblocking:\n- an issue\n${noted(launchId)}`,
        said: "rejected",
        minor: minor(launchId)
      }
    case "rejects for what is minor":
      return { text: `REJECTED ${word}\nsummary: not yet\n${noted(launchId)}`, said: "both" }
    case "rejects":
      return { text: rejected(word), said: "rejected" }
    case "approves, and names issues":
      return { text: `APPROVED ${word}\nsummary: it does, almost\nissues:\n- an issue\n`, said: "both" }
    case "approves and rejects":
      return { text: `${approved(word)}REJECTED ${word}\nsummary: not yet\nissues:\n- an issue\n`, said: "both" }
    // The agent repeats a verdict that it read. The verdict belongs to no agent.
    case "commits, and quotes a verdict":
      return { text: complete("word0"), said: "nothing" }
    case "quotes an approval":
      return { text: approved("word0"), said: "nothing" }
    case "approves without a word":
      return { text: approved(""), said: "nothing" }
    case "approves, and is cut off":
      return { text: `${approved(word)}\nBut the tests fail, and I am going to reject th`, said: "nothing" }
    case "approves, and is killed":
      return { text: approved(word), said: "nothing" }
    case "prints garbage":
      return { text: `${chatter}\n\u0000\ufffd{"APPROVED": IMPLEMENTATION_COMPLETE`, said: "nothing" }
    case "repeats the form":
      return { text: form(word), said: "nothing" }
    case "commits, and is cut off":
      return { text: `${chatter}\nIMPLEMENTATION_COM`, said: "nothing" }
    case "hits a usage limit":
    case "hits an outage":
    case "loses its login":
      return { text: "the service says no\n", said: "nothing" }
    case "says nothing":
    case "hangs":
    case "finishes":
    case "fails":
      return { text: "", said: "nothing" }
  }
}
