/** The addresses of the page, under its secret path. */
export interface Links {
  readonly list: string
  readonly report: string
  readonly style: string
  readonly script: string
  readonly icon: string
  readonly watch: (id: string) => string
  readonly run: (id: string) => string
}

/** Makes the addresses under a path. An id is one part of an address, whatever it holds. */
export const linksUnder = (path: string): Links => ({
  list: `${path}/`,
  report: `${path}/report`,
  style: `${path}/page.css`,
  script: `${path}/page.js`,
  icon: `${path}/page.svg`,
  watch: (id) => `${path}/watches/${encodeURIComponent(id)}`,
  run: (id) => `${path}/runs/${encodeURIComponent(id)}`
})
