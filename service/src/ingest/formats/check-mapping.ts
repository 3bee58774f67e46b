import type { MappingFile } from '@plumbline/contract/mapping'
import type { ReportProblem } from '../../schemas/check-schema.ts'
import { isDelimiter } from '../../encodings/csv/fields.ts'
import { checkFlags } from './check-flags.ts'
import { hasColumnNames, ROW_FORMAT_TRAITS } from './row-format-traits.ts'
import { EPOCHS, timeFormatProblem } from './time-format.ts'

/** Reports the keys of a mapping that contradict each other, which its schema cannot say. */
export function checkMapping(file: MappingFile, report: ReportProblem): void {
  const { delimiter = ',', decimalComma } = file
  if (!isDelimiter(delimiter))
    report(['delimiter'], 'expected one character other than a quote, `tab` or `blanks`')
  if (decimalComma === true && delimiter === ',')
    report(['delimiter'], 'numbers with a decimal comma need another delimiter')
  refuseForeignKeys(file, report)
  checkTime(file, report)
  checkColumns(file, report)
}

/** Keys that say how rows are written as text. */
const TEXT_KEYS = ['delimiter', 'encoding', 'decimalComma'] as const

function refuseForeignKeys(file: MappingFile, report: ReportProblem): void {
  const { ownKeys, isBinary } = ROW_FORMAT_TRAITS[file.format]
  for (const key of isBinary ? TEXT_KEYS : [])
    if (key in file) report([key], `this has no meaning with the format ${file.format}`)
  const ofSomeFormats = new Set(
    Object.values(ROW_FORMAT_TRAITS).flatMap((traits) => traits.ownKeys),
  )
  for (const key of ofSomeFormats)
    if (key in file && !ownKeys.includes(key))
      report([key], `this has no meaning with the format ${file.format}`)
  if ('columnCount' in file && ownKeys.includes('columnCount') && hasColumnNames(file))
    report(['columnCount'], 'the header says how many columns there are; leave this out')
}

function checkTime(file: MappingFile, report: ReportProblem): void {
  const { time } = file
  const { ownTime, timeKeys } = ROW_FORMAT_TRAITS[file.format]
  if (time === undefined) {
    if (ownTime === undefined) report([], `time is missing: expected ${timeKeys}`)
    return
  }
  const { column, format: form } = time
  const numbers = ['year', 'dayOfYear', 'hourMinute'] as const
  const isNumbers = [...numbers, 'second' as const].some((key) => key in time)
  if (isNumbers && (column !== undefined || form !== undefined))
    return report(['time'], 'expected either column and format, or numbers of columns, not both')
  if (isNumbers) {
    if (ownTime !== undefined) report(['time'], `expected ${timeKeys}`)
    for (const key of numbers) if (!(key in time)) report(['time'], `${key} is missing`)
    return
  }
  if (ownTime === undefined)
    for (const key of file.format === 'xlsx' ? ['column'] : ['column', 'format'])
      if (!(key in time)) report(['time'], `${key} is missing`)
  if (form === undefined) return
  const problem = timeFormatProblem(form)
  if (problem !== undefined) report(['time', 'format'], problem)
  if (EPOCHS.has(form) && Array.isArray(column))
    report(['time', 'column'], `one column, with the format ${form}`)
  if (EPOCHS.has(form) && file.offset !== undefined)
    report(['offset'], `this has no meaning with the format ${form}`)
}

const named = (column: unknown): boolean => [column].flat().some((one) => typeof one === 'string')

function checkColumns(file: MappingFile, report: ReportProblem): void {
  const isNamed = hasColumnNames(file)
  const expected = 'expected the number of a column: there is no header to find a name in'
  if (!isNamed && named(file.time?.column)) report(['time', 'column'], expected)

  const seen = new Set<string>()
  for (const [index, settings] of file.columns.entries()) {
    const { column, sensor, key, station, item } = settings
    const path = ['columns', index]
    checkFlags(settings, { isNamed, index }, report)
    if (!isNamed && named(column)) report([...path, 'column'], expected)
    const isRaw = sensor !== undefined && key !== undefined
    const isTheme = station !== undefined && item !== undefined
    const given = [sensor, key, station, item].filter((one) => one !== undefined).length
    if (given !== 2 || isRaw === isTheme) {
      report(path, 'expected either sensor and key, or station and item')
      continue
    }
    const target = `${sensor?.toLowerCase() ?? station} ${key ?? item}`
    if (seen.has(target)) report(path, `another column goes to ${key ?? item} of the same`)
    seen.add(target)
  }
}
