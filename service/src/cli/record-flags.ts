import type { DeletionChoice } from '../deletion/deletion-target.ts'
import type { Span } from '../derivation/span.ts'
import { RETAINED_KINDS } from '../domain/records/record-sources.ts'
import type { RetainedKind } from '../domain/retention/retained-kind.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { readText, UsageError, type Arguments } from './command.ts'
import { readEnd, readStart } from './export-flags.ts'
import { getStructure } from './read-structure.ts'

type Flags = Arguments['flags']

/** The records that the flags of a command name; refuses both --yes and --dry-run. */
export function readChoice(flags: Flags, command: string): DeletionChoice {
  if (flags['yes'] === true && flags['dry-run'] === true)
    throw new UsageError('Use either --yes or --dry-run.')
  const named = ['station', 'sensor', 'structure'].filter((flag) => flags[flag] !== undefined)
  if (named.length !== 1)
    throw new UsageError(`${command} needs exactly one of --station, --sensor and --structure`)
  if (flags['factor'] !== undefined && flags['structure'] === undefined)
    throw new UsageError('--factor needs --structure')
  return {
    station: readId('--station', flags['station']),
    sensor: readText(flags, 'sensor'),
    structure: readId('--structure', flags['structure']),
    factor: readId('--factor', flags['factor']),
    kinds: readKinds(flags['kind']),
  }
}

function readId(name: string, flag: string | boolean | undefined): number | undefined {
  if (flag === undefined) return undefined
  if (!/^[1-9]\d{0,9}$/.test(String(flag))) throw new UsageError(`${name} must be an id`)
  return Number(flag)
}

function readKinds(flag: string | boolean | undefined): RetainedKind[] | undefined {
  if (flag === undefined) return undefined
  return String(flag)
    .split(',')
    .map((name) => {
      const kind = RETAINED_KINDS.find((one) => one === name.trim())
      if (kind === undefined)
        throw new UsageError(
          `--kind must be one or more of ${RETAINED_KINDS.join(', ')}, joined by commas`,
        )
      return kind
    })
}

/** The window of the flags, in the local time of a structure. */
export function readSpan(
  flags: Flags,
  { structure }: { structure: number },
  catalogue: Catalogue,
): Span {
  const { zone } = getStructure(catalogue, structure)
  for (const name of ['from', 'to'])
    if (flags[name] === undefined) throw new UsageError(`the command needs --${name} with a time`)
  const from = readStart('--from', flags['from'], zone)
  const to = readEnd('--to', flags['to'], zone)
  if (from > to) throw new UsageError('--from must not be after --to')
  return { from, to }
}
