import { plain } from "@souffleur/domain"
import type { Job } from "@souffleur/embed/internal"
import { cut } from "../Wrapped.ts"

/** The most columns of a title in a list. */
export const titleColumns = 24

/** Returns the title of a job for a list; empty: it has none. */
export const shortTitle = ({ title }: Pick<Job, "title">, columns = titleColumns): string =>
  title === null ? "" : cut(plain(title, 4 * columns), columns)
