/** What spreadsheets take for the beginning of a formula, also in its wide form. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/**
 * A text that no spreadsheet runs: with an apostrophe before what could be a formula.
 *
 * No two texts become one: those that begin so already get another apostrophe.
 */
export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)
