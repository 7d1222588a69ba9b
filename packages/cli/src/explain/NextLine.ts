import { plain } from "@souffleur/domain"
import type { Need } from "@souffleur/embed/internal"

/** UTF-16 units of a cell. `--json` prints everything. */
const maxLength = 200

/** Returns the commands to type next, each with its reason below it. */
export const nextLines = (needs: ReadonlyArray<Need>, dim: (text: string) => string): ReadonlyArray<string> =>
  needs.flatMap(({ next, why }) => [`  ${plain(next, maxLength)}`, dim(`      ${plain(why, maxLength)}`)])
