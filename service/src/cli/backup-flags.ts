import { readText, UsageError, type CommandContext } from './command.ts'

type Flags = CommandContext['flags']

/** The hours of `--every`; undefined without it. */
export const readEvery = (flags: Flags): number | undefined =>
  readAboveZero(flags, { flag: 'every', unit: 'hours', most: 87_600 })

/** The days of `--verify-every`; undefined without it. */
export const readVerifyEvery = (flags: Flags): number | undefined =>
  readAboveZero(flags, { flag: 'verify-every', unit: 'days', most: 3_650 })

/** The backups of `--keep`; undefined without it. */
export function readKeep(flags: Flags): number | undefined {
  const text = readText(flags, 'keep')
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new UsageError('--keep must be a whole number of 1 or more')
  return Number(text)
}

function readAboveZero(
  flags: Flags,
  { flag, unit, most }: { flag: string; unit: string; most: number },
): number | undefined {
  const text = readText(flags, flag)
  if (text === undefined) return undefined
  const number = text === '' ? NaN : Number(text)
  if (!(number > 0 && number <= most))
    throw new UsageError(`--${flag} must be a number of ${unit} above 0`)
  return number
}
