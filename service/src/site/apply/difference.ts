import type { SiteEntry, SiteEntryKind } from '../../domain/site/site-entry.ts'
import { maskMember } from './camera-addresses.ts'
import { nameOf } from '../file/entry-name.ts'
import { structureOf } from '../check/site-context.ts'
import { isObjectOrList } from '../../json/is-object.ts'

/** A member that differs; `undefined` means that it is absent. Addresses of cameras are masked. */
type FieldChange = { path: string; from: unknown; to: unknown }

export type Change = {
  change: 'add' | 'alter' | 'remove'
  /** The new entry; for a removal the old one. */
  entry: SiteEntry
  before?: SiteEntry
  fields: FieldChange[]
}

/**
 * The changes from the stored to the wanted entries, in the order of the wanted ones. Removals come
 * last, of parts before what they belong to.
 *
 * Projects, structure types and factors are never removed, since several files share them. Users and
 * structures that are not wanted stay, the latter with all their parts, unless they are in
 * `alsoRemoved`.
 */
export function difference(
  stored: readonly SiteEntry[],
  wanted: readonly SiteEntry[],
  alsoRemoved: readonly SiteEntry[] = [],
): Change[] {
  const before = new Map(stored.map((entry) => [keyOf(entry), entry]))
  const wantedKeys = new Set<string>()
  const structures = new Set<number>()
  const changes: Change[] = []
  for (const entry of wanted) {
    const key = keyOf(entry)
    wantedKeys.add(key)
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
    return structure !== null && structures.has(structure) && !wantedKeys.has(keyOf(entry))
  })
  removed.push(...alsoRemoved.filter((entry) => !wantedKeys.has(keyOf(entry))))
  const inOrder = REMOVAL_ORDER.flatMap((kind) => removed.filter((entry) => entry.kind === kind))
  for (const entry of inOrder) changes.push({ change: 'remove', entry, before: entry, fields: [] })
  return changes
}

/**
 * One line for each change, and a line with their counts: `+ station 52093 SG-01`,
 * `~ station 52094 SG-02: name "SG-02" -> "SG-2"`, `- camera 3 East pylon`.
 */
export function formatDifference(changes: readonly Change[]): string[] {
  if (changes.length === 0) return ['nothing to change']
  const count = (change: Change['change']) => changes.filter((one) => one.change === change).length
  return [
    ...changes.map(formatChange),
    `${count('add')} to add, ${count('alter')} to change, ${count('remove')} to remove`,
  ]
}

/** The order of removals: entries before those to which they refer. */
const REMOVAL_ORDER: SiteEntryKind[] = [
  'camera',
  'thresholdBatch',
  'station',
  'group',
  'device',
  'structure',
  'user',
]

function keyOf(entry: SiteEntry): string {
  return nameOf(entry.kind, entry.id)
}

function fieldChanges(from: SiteEntry, to: SiteEntry): FieldChange[] {
  const changes = [...compare(from, to, '')]
  if (to.kind !== 'camera') return changes
  return changes.map(({ path, from, to }) => ({
    path,
    from: maskMember(path, from),
    to: maskMember(path, to),
  }))
}

/** Compares members of mappings, and elements of mappings in lists of equal length; other values as a whole. */
function* compare(from: unknown, to: unknown, path: string): Generator<FieldChange> {
  if (from === to) return
  if (!isObjectOrList(from) || !isObjectOrList(to) || Array.isArray(from) !== Array.isArray(to)) {
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
    (from.length === member(to, 'length') &&
      Object.values({ ...from, ...to }).every(isObjectOrList))
  if (isComparable) yield* changes
  else if (changes.length > 0) yield { path, from, to }
}

function member(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

const SIGNS = { add: '+', alter: '~', remove: '-' }

function formatChange({ change, entry, before, fields }: Change): string {
  const label = labelOf(before ?? entry)
  const name = `${nameOf(entry.kind, entry.id)}${label === '' ? '' : ` ${oneLine(label)}`}`
  const details = fields.length === 0 ? '' : `: ${fields.map(formatField).join(', ')}`
  return `${SIGNS[change]} ${name}${details}`
}

/** The name of an entry for people; empty where it has none. */
export function labelOf(entry: SiteEntry): string {
  if (entry.kind === 'camera') return entry.location
  return entry.kind === 'thresholdBatch' ? '' : entry.name
}

function formatField({ path, from, to }: FieldChange): string {
  const [old, now] = [formatValue(from), formatValue(to)]
  // A masked address or a shortened text may be the same before and after.
  return old === now ? `${oneLine(path)} altered` : `${oneLine(path)} ${old} -> ${now}`
}

function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'none'
  const text = oneLine(JSON.stringify(value))
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`
}

/** Without line breaks and control characters, which names may contain. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}
