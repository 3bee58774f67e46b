import { countOf, show } from '../../errors/show.ts'
import { countByKey, countWithBoth } from './count-members.ts'
import { findItemChanges, type ItemChange } from './item-changes.ts'
import type { ItemSource, StoredItem } from './item-sources.ts'
import type { Renames } from './renames.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Zone } from '../../domain/time/local-time.ts'

/** One change of an item, or an item that is new, with the records of all sources that it touches. */
export type ItemFinding = {
  kind: ItemSource['kind']
  owners: Set<number | string>
  /** `added`: the item is new, and records hold its key. */
  change: ItemChange | { added: StoredItem }
  sources: Set<number>
  structures: Set<number>
  records: number
  /** The records that have a value of the new key already. */
  withBoth: number
}

type FindingOptions = {
  records: Pick<Storage['records'], 'readHours' | 'readLists'>
  zoneOf(structure: number): Zone
  renames: Renames
  onProgress?(done: number, total: number): void
}

/** Finds the changed items of sources, those of one factor and the same ones of devices together. */
export async function findItems(
  sources: readonly ItemSource[],
  { records, zoneOf, renames, onProgress }: FindingOptions,
): Promise<ItemFinding[]> {
  const findings = new Map<string, ItemFinding>()
  const add = (source: ItemSource, change: ItemFinding['change'], held: HeldRecords): void => {
    const { kind, owner } = source
    const name = JSON.stringify([kind, kind === 'theme' ? owner : null, change])
    const finding = findings.getOrInsertComputed(name, () => ({
      kind,
      owners: new Set(),
      change,
      sources: new Set(),
      structures: new Set(),
      records: 0,
      withBoth: 0,
    }))
    finding.owners.add(owner)
    finding.structures.add(source.structure)
    if (held.records === 0) return
    finding.sources.add(source.source)
    finding.records += held.records
    finding.withBoth += held.withBoth
  }
  for (const [at, source] of sources.entries()) {
    onProgress?.(at, sources.length)
    const { changed, added } = findItemChanges(source, renames)
    const counts = await countByKey(records, source, zoneOf(source.structure))
    const left = new Set(
      changed
        .filter(({ from, to }) => to !== undefined && to.key !== from.key)
        .map(({ from }) => from.key),
    )
    for (const change of changed) add(source, change, await countHeld(source, change, counts, left))
    for (const item of added) {
      const held = counts.get(item.key) ?? 0
      if (held > 0) add(source, { added: item }, { records: held, withBoth: 0 })
    }
  }
  return [...findings.values()]

  /** Records are read only where both keys have some. `left` are the keys that other items leave. */
  async function countHeld(
    source: ItemSource,
    { from, to }: ItemChange,
    counts: ReadonlyMap<string, number>,
    left: ReadonlySet<string>,
  ): Promise<HeldRecords> {
    const held = { records: counts.get(from.key) ?? 0, withBoth: 0 }
    if (to === undefined || to.key === from.key || held.records === 0) return held
    if (left.has(to.key) || (counts.get(to.key) ?? 0) === 0) return held
    return { ...held, withBoth: await countWithBoth(records, source, [from.key, to.key]) }
  }
}

type HeldRecords = { records: number; withBoth: number }

/** `item strain of factor 15`, `raw value reading of 3 devices`. */
export function nameOfFinding({ kind, owners, change }: ItemFinding): string {
  const { key } = 'added' in change ? change.added : change.from
  const [owner = ''] = owners
  const name = /^[\p{L}\p{N}_.-]+$/u.test(key) ? key : show(key)
  if (kind === 'theme') return `item ${name} of factor ${owner}`
  return `raw value ${name} of ${owners.size === 1 ? `device ${owner}` : `${owners.size} devices`}`
}

/** `1,204 stored records of 3 stations`. */
export function describeRecords({ kind, sources, records }: ItemFinding): string {
  const holders = countOf(sources.size, kind === 'theme' ? 'station' : 'device')
  return `${countOf(records, 'stored record')} of ${holders}`
}
