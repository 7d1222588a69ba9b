const drawn = (more: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M2 12a6 6 0 0 1 12 0z" fill="#1f5a92"/><path d="M0 12.5h16v1.5H0z" fill="#8a8780"/><circle cx="8" cy="9.5" r="1.6" fill="#fff"/>${more}</svg>
`

/** A prompter's box on a stage: the icon of the page. */
export const pageIcon = drawn("")

/** The same with a mark, where somebody is needed. */
export const neededIcon = drawn('<circle cx="12" cy="4" r="3.5" fill="#d1332a" stroke="#fff"/>')
