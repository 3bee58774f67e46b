/** What spreadsheets take for the beginning of a formula, also in its wide form. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** What separates cells for one spreadsheet or another, before what would be a formula there. */
const FORMULA_BEHIND_SEPARATOR = /[,;|\t\r\n](?=['"]*[=+\-@＝＋－＠])/g

/**
 * A text that no spreadsheet runs: with an apostrophe before what could be a formula.
 *
 * Quotes count only for who splits at the separator of the file; any other finds a cell within the
 * text. No two texts become one: those that begin so already get another apostrophe.
 */
export const escapeFormula = (text: string): string =>
  (FORMULA.test(text) ? `'${text}` : text).replaceAll(FORMULA_BEHIND_SEPARATOR, "$&'")
