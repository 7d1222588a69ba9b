/** The addresses that need no cookie: the style, the icon and the scripts. */
export const looks = {
  style: "/page.css",
  icon: "/page.svg",
  needed: "/needed.svg",
  script: "/page.js",
  door: "/door.js"
} as const

/** The addresses that each page leads to. `report`: `null` where there is none. */
export interface FrameLinks {
  readonly list: string
  /** The name of the list, in a link to it. */
  readonly listName: string
  readonly report: string | null
}

/** The addresses around the page of a job. */
export interface JobLinks extends FrameLinks {
  readonly watch: (id: string) => string
  readonly run: (id: string) => string
}

/** The addresses of the work of one run. `null`: this page does not have them. */
export interface RunLinks {
  readonly run: string
  /** The conversation of an agent, by the token of its assignment. */
  readonly conversation: ((token: string) => string) | null
  /** What a task changed. */
  readonly changes: ((task: string) => string) | null
}

/** The addresses of the page, under its secret path. */
export interface Links extends JobLinks {
  readonly report: string
}

/** Makes the addresses of jobs under a path. An id is one part of an address, whatever it holds. */
export const jobsUnder = (path: string): Pick<JobLinks, "run" | "watch"> => ({
  watch: (id) => `${path}/watches/${encodeURIComponent(id)}`,
  run: (id) => `${path}/runs/${encodeURIComponent(id)}`
})

/** Makes the addresses of the work of a run of this host. */
export const workLinks = (links: JobLinks, id: string) =>
  ({
    run: links.run(id),
    conversation: (token: string) => `${links.run(id)}/agents/${encodeURIComponent(token)}`,
    changes: (task: string) => `${links.run(id)}/tasks/${encodeURIComponent(task)}/changes`
  }) satisfies RunLinks

/** Makes the addresses of a run whose files are not seen. */
export const loggedLinks = (links: JobLinks, id: string): RunLinks => ({
  run: links.run(id),
  conversation: null,
  changes: null
})

/** Makes the addresses of the page under its secret path. */
export const linksUnder = (path: string): Links => ({
  list: `${path}/`,
  listName: "All watches and runs",
  report: `${path}/report`,
  ...jobsUnder(path)
})

/** Returns the query of a request as it came, with its `?`. The target of a request may be no URL, such as `//`. */
export const queryOf = ({ url }: { readonly url: string }): string => /\?.*/u.exec(url)?.[0] ?? ""
