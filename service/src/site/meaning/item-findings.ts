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
  /** All sources of the item, and those with records of it. */
  all: Set<number>
  sources: Set<number>
  records: number
  /** The records that have a value of the new key already. */
  withBoth: number
}

type FindingOptions = {
  records: Pick<Storage['records'], 'readHours' | 'readLists' | 'readMarks'>
  zoneOf(structure: number): Zone
  renames: Renames
}

/** Finds the changed items of sources, those of one factor and the same ones of devices together. */
export async function findItems(
  sources: readonly ItemSource[],
  { records, zoneOf, renames }: FindingOptions,
): Promise<ItemFinding[]> {
  const findings = new Findings()
  for (const source of sources) {
    const { changed, added } = findItemChanges(source, renames)
    const counts = await countByKey(records, source, zoneOf(source.structure))
    const left = new Set(changed.filter(getsKey).map(({ from }) => from.key))
    for (const change of changed) {
      const held = counts.get(change.from.key) ?? 0
      const mayHaveBoth = getsKey(change) && !left.has(change.to.key) && counts.has(change.to.key)
      const keys = [change.from.key, change.to?.key ?? ''] as const
      const withBoth = mayHaveBoth ? await countWithBoth(records, source, keys) : 0
      findings.add(source, change, { records: held, withBoth })
    }
    for (const item of [...added, ...movedOnto(source, changed)]) {
      const held = counts.get(item.key) ?? 0
      if (held > 0) findings.add(source, { added: item }, { records: held, withBoth: 0 })
    }
  }
  return findings.list()
}

type HeldRecords = Pick<ItemFinding, 'records' | 'withBoth'>

class Findings {
  readonly #byName = new Map<string, ItemFinding>()

  list(): ItemFinding[] {
    return [...this.#byName.values()]
  }

  add({ kind, owner, source }: ItemSource, change: ItemFinding['change'], held: HeldRecords): void {
    const name = JSON.stringify([kind, kind === 'theme' ? owner : null, change])
    const all = new Set<number>()
    const none = { owners: new Set<number | string>(), all, sources: new Set<number>() }
    const finding = this.#byName.getOrInsertComputed(name, () => {
      return { kind, change, ...none, records: 0, withBoth: 0 }
    })
    finding.owners.add(owner)
    finding.all.add(source)
    if (held.records === 0) return
    finding.sources.add(source)
    finding.records += held.records
    finding.withBoth += held.withBoth
  }
}

const getsKey = (change: ItemChange): change is ItemChange & { to: StoredItem } =>
  change.to !== undefined && change.to.key !== change.from.key

/** The items with a key that no item had before. */
const movedOnto = ({ before }: ItemSource, changed: readonly ItemChange[]): StoredItem[] =>
  changed.flatMap(({ to }) =>
    to === undefined || before.some(({ key }) => key === to.key) ? [] : [to],
  )

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
