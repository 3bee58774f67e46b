import type { SiteEntry, SiteEntryKind } from '../../domain/site/site-entry.ts'
import { maskSource } from './mask-source.ts'
import { nameOf } from '../file/entry-name.ts'
import { structureOf } from '../check/surroundings.ts'

/** A member that differs. `undefined` stands for one that is not there; sources are masked. */
export type FieldChange = { path: string; from: unknown; to: unknown }

export type Change = {
  change: 'add' | 'alter' | 'remove'
  /** The entry as it will be; for a removal as it was. */
  entry: SiteEntry
  before?: SiteEntry
  fields: FieldChange[]
}

/**
 * What must change for the stored entries to be as wanted, in the order of the wanted entries,
 * removals last and parts before what they belong to.
 *
 * Projects, structure types and factors are never removed, since several files share them, and
 * users only where the caller says which; a structure that is not wanted, and all that belongs to it, is left alone.
 */
export function difference(
  stored: readonly SiteEntry[],
  wanted: readonly SiteEntry[],
  removedUsers: readonly SiteEntry[] = [],
): Change[] {
  const before = new Map(stored.map((entry) => [keyOf(entry), entry]))
  const kept = new Set<string>()
  const structures = new Set<number>()
  const changes: Change[] = []
  for (const entry of wanted) {
    const key = keyOf(entry)
    kept.add(key)
    if (entry.kind === 'structure') structures.add(entry.id)
    const old = before.get(key)
    if (old === undefined) {
      changes.push({ change: 'add', entry, fields: [] })
      continue
    }
    const fields = fieldChanges(old, entry)
    if (fields.length > 0) changes.push({ change: 'alter', entry, before: old, fields })
  }
  const removed = stored.filter((entry) => {
    const structure = structureOf(entry)
    return structure !== null && structures.has(structure) && !kept.has(keyOf(entry))
  })
  removed.push(...removedUsers)
  const inOrder = REMOVED.flatMap((kind) => removed.filter((entry) => entry.kind === kind))
  for (const entry of inOrder) changes.push({ change: 'remove', entry, before: entry, fields: [] })
  return changes
}

/**
 * One line for each change and a closing count: `+ station 52093 SG-01`,
 * `~ station 52094 SG-02: name "SG-02" -> "SG-2"`, `- camera 3 East pylon`.
 */
export function formatDifference(changes: readonly Change[]): string[] {
  if (changes.length === 0) return ['nothing to change']
  const count = (change: Change['change']) => changes.filter((one) => one.change === change).length
  return [
    ...changes.map(formatChange),
    `${count('add')} to add, ${count('alter')} to alter, ${count('remove')} to remove`,
  ]
}

/** What refers to others goes before them. */
const REMOVED: SiteEntryKind[] = ['camera', 'thresholdBatch', 'station', 'group', 'device', 'user']

function keyOf(entry: SiteEntry): string {
  return nameOf(entry.kind, entry.id)
}

function fieldChanges(from: SiteEntry, to: SiteEntry): FieldChange[] {
  const changes = [...compare(from, to, '')]
  return changes.map(({ path, from, to }) => {
    if (path !== 'source') return { path, from, to }
    return { path, from: maskSource(String(from)), to: maskSource(String(to)) }
  })
}

/** Goes into mappings, and into lists that stayed as long; elsewhere the whole value differs. */
function* compare(from: unknown, to: unknown, path: string): Generator<FieldChange> {
  if (from === to) return
  if (!isObject(from) || !isObject(to) || Array.isArray(from) !== Array.isArray(to)) {
    yield { path, from, to }
    return
  }
  const changes: FieldChange[] = []
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const inner = Array.isArray(from) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    changes.push(...compare(member(from, key), member(to, key), inner))
  }
  const isComparable =
    !Array.isArray(from) ||
    (from.length === member(to, 'length') && Object.values({ ...from, ...to }).every(isObject))
  if (isComparable) yield* changes
  else if (changes.length > 0) yield { path, from, to }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function member(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

const SIGN = { add: '+', alter: '~', remove: '-' }

function formatChange({ change, entry, before, fields }: Change): string {
  const label = labelOf(before ?? entry)
  const name = `${nameOf(entry.kind, entry.id)}${label === '' ? '' : ` ${oneLine(label)}`}`
  const details = fields.length === 0 ? '' : `: ${fields.map(formatField).join(', ')}`
  return `${SIGN[change]} ${name}${details}`
}

function labelOf(entry: SiteEntry): string {
  if (entry.kind === 'camera') return entry.location
  return entry.kind === 'thresholdBatch' ? '' : entry.name
}

function formatField({ path, from, to }: FieldChange): string {
  const [old, now] = [formatValue(from), formatValue(to)]
  // A masked address, and a long list, may look the same before and after.
  return old === now ? `${oneLine(path)} altered` : `${oneLine(path)} ${old} -> ${now}`
}

function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'none'
  const text = oneLine(JSON.stringify(value))
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`
}

/** Names are the operator's own and may hold line breaks or control characters. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}
