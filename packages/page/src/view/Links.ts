/** The addresses that need no cookie: the style, the icon and the scripts. */
export const looks = { style: "/page.css", icon: "/page.svg", script: "/page.js", door: "/door.js" } as const

/** The addresses that each page leads to. `report`: `null` where there is none. */
export interface FrameLinks {
  readonly list: string
  readonly report: string | null
}

/** The addresses of the page, under its secret path. */
export interface Links extends FrameLinks {
  readonly report: string
  readonly watch: (id: string) => string
  readonly run: (id: string) => string
}

/** Makes the addresses under a path. An id is one part of an address, whatever it holds. */
export const linksUnder = (path: string): Links => ({
  list: `${path}/`,
  report: `${path}/report`,
  watch: (id) => `${path}/watches/${encodeURIComponent(id)}`,
  run: (id) => `${path}/runs/${encodeURIComponent(id)}`
})
