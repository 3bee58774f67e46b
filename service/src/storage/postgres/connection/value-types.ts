import pg from 'pg'

const { builtins } = pg.types

/** A number that JavaScript holds exactly; every count and instant of the service is one. */
function toNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is no safe integer`)
  return number
}

const PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, toNumber],
  [builtins.NUMERIC, Number],
  // The shared stores know 0 and 1.
  [builtins.BOOL, (text) => (text === 't' ? 1 : 0)],
])

/** How values of PostgreSQL are read: numbers as numbers, truth values as 0 and 1. */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: (id, format) =>
    PARSERS.get(id) ??
    (format === 'binary' ? pg.types.getTypeParser(id, format) : pg.types.getTypeParser(id)),
}
