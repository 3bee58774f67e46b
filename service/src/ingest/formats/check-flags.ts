import type { MappingFile } from '@plumbline/contract/mapping'
import { EXPECTED_QUALITY, parseQuality } from '../../domain/quality/quality-text.ts'
import { show } from '../../errors/show.ts'
import type { ReportProblem } from '../../schemas/check-schema.ts'
import type { ValuePath } from '../../schemas/value-path.ts'

type Column = MappingFile['columns'][number]

/** Reports what contradicts itself in the flags of a column. */
export function checkFlags(
  { column, quality }: Column,
  { isNamed, index }: { isNamed: boolean; index: number },
  report: ReportProblem,
): void {
  if (quality === undefined) return
  const path = ['columns', index, 'quality']
  const { flags, otherwise } = quality
  if (!isNamed && typeof quality.column === 'string')
    report(
      [...path, 'column'],
      'expected the number of a column: there is no header to find a name in',
    )
  if (quality.column === column)
    report(
      [...path, 'column'],
      'this is the column of the value; leave it out for flags in its cell',
    )
  if (flags === undefined) checkWritten(quality, path, report)
  else if (Object.keys(flags).length === 0 && otherwise === undefined)
    report([...path, 'flags'], 'expected at least one flag, or otherwise')
  for (const [flag, text] of Object.entries(flags ?? {})) {
    const problem = flagProblem(flag, text, quality.column === undefined)
    if (problem !== undefined) report([...path, 'flags', flag], problem)
  }
  if (otherwise !== undefined && parseQuality(otherwise) === undefined)
    report([...path, 'otherwise'], describe(otherwise))
}

/** Reports what is missing where no flag is named: a column holds qualities then. */
function checkWritten(
  { column, otherwise }: NonNullable<Column['quality']>,
  path: ValuePath,
  report: ReportProblem,
): void {
  if (column === undefined) report(path, 'expected flags, or the column of the qualities')
  if (otherwise !== undefined) report([...path, 'otherwise'], 'it has no meaning without flags')
}

function flagProblem(flag: string, text: string, isBehind: boolean): string | undefined {
  if (flag !== flag.trim()) return 'a flag is compared without the blanks around it'
  if (isBehind && LOOKS_LIKE_NUMBER.test(flag))
    return 'this flag could not be told from the number before it, name the column of flags'
  return parseQuality(text) === undefined ? describe(text) : undefined
}

/** What may continue a number: a digit, a decimal sign, an exponent. */
const LOOKS_LIKE_NUMBER = /^(?:[\d.,]|e[+-]?\d)/i

const describe = (text: string): string => `${EXPECTED_QUALITY}, found ${show(text)}`
