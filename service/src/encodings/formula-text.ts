/** The start of a formula in spreadsheets, also with full-width characters. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A character that some spreadsheets take as a separator, before the start of a formula. */
const SEPARATOR_BEFORE_FORMULA = /[,;|\t\r\n](?=['"]*[=+\-@＝＋－＠])/g

/**
 * Returns a text that no spreadsheet evaluates: with an apostrophe before every possible formula.
 *
 * A spreadsheet that splits at another separator than the file's ignores the quotes around the text, so
 * possible formulas within it are escaped too. Different texts stay different: one that begins with an
 * apostrophe gets another one.
 */
export const escapeFormula = (text: string): string =>
  (FORMULA.test(text) ? `'${text}` : text).replaceAll(SEPARATOR_BEFORE_FORMULA, "$&'")
