/** The value of a token, such as `--series-1`: canvases know no variables of CSS. */
export const colour = (token: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(token).trim()

const SERIES = 8

/** The colour of a series by its place; the ninth begins anew. */
export const seriesColour = (index: number): string => colour(`--series-${(index % SERIES) + 1}`)

/** A colour that lets through what is below it. */
export const faint = (hex: string, alpha: number): string =>
  `${hex}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, '0')}`
