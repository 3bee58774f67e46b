import { createHash } from 'node:crypto'
import type { MemberRewrite } from '../../domain/records/rewrite-record.ts'
import { recordKey } from '../../domain/records/record-text.ts'
import { convertValue, findConversion, type UnitConversion } from '../../domain/units/units.ts'
import type { RecordKind } from '../../storage/storage.ts'
import { findItemChanges, type ItemChange } from './item-changes.ts'
import type { ItemSource } from './item-sources.ts'
import type { Renames } from './renames.ts'

/** How the records of one source are rewritten. */
export type RecordRewrite = {
  kind: RecordKind
  source: number
  owner: number | string
  /** By the stored keys, from `recordKey`. */
  members: ReadonlyMap<string, MemberRewrite>
  /** The same as texts: `strain in "µε" becomes strain in "mm"`. */
  texts: readonly string[]
}

/** The sources whose items get another key, or another unit that values are converted to. */
export function planRewrites(
  sources: readonly ItemSource[],
  { renames, converts }: { renames: Renames; converts: boolean },
): RecordRewrite[] {
  return sources.flatMap((source): RecordRewrite[] => {
    const parts = findItemChanges(source, renames).changed.flatMap((change) =>
      rewriteOf(change, converts),
    )
    if (parts.length === 0) return []
    const { kind, source: id, owner } = source
    const members = new Map(parts.map(({ from, member }) => [from, member]))
    return [{ kind, source: id, owner, members, texts: parts.map(({ text }) => text) }]
  })
}

/** Whether the records of an item are rewritten. */
export const isRewritten = (change: ItemChange, converts: boolean): boolean =>
  rewriteOf(change, converts).length > 0

type MemberPart = { from: string; member: MemberRewrite; text: string }

function rewriteOf({ from, to }: ItemChange, converts: boolean): MemberPart[] {
  if (to === undefined) return []
  const conversion = converts ? conversionOf(from.unit, to.unit) : undefined
  if (from.key === to.key && conversion === undefined) return []
  const convert =
    conversion === undefined ? {} : { convert: (value: number) => convertValue(conversion, value) }
  const units = conversion === undefined ? ['', ''] : [` in ${from.unit}`, ` in ${to.unit}`]
  return [
    {
      from: recordKey(from.key),
      member: { key: recordKey(to.key), ...convert },
      text: `${from.key}${units[0]} to ${to.key}${units[1]}`,
    },
  ]
}

function conversionOf(from: string, to: string): UnitConversion | undefined {
  const found = findConversion(from, to)
  return found === 'same' ? undefined : found
}

/**
 * Names a rewriting as a change: `units and keys of site.yaml: factor 15 strain in mm to strain in m`.
 * The digest at its end tells it from every other rewriting of the same site.
 */
export function describeRewriting(rewrites: readonly RecordRewrite[]): string {
  const parts = Map.groupBy(rewrites, ({ kind, owner, texts }) =>
    kind === 'theme' ? `factor ${owner}: ${texts.join(', ')}` : `devices: ${texts.join(', ')}`,
  )
  const all = JSON.stringify(rewrites.map(({ kind, source, texts }) => [kind, source, texts]))
  const digest = createHash('sha256').update(all).digest('hex').slice(0, 8)
  const names = [...parts.keys()]
  const rest = names.length > SHOWN ? [`${names.length - SHOWN} more`] : []
  return `${[...names.slice(0, SHOWN), ...rest].join('; ')} (${digest})`
}

const SHOWN = 3
