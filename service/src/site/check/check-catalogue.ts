import type { SiteFile } from '@plumbline/contract/site'
import { groupItems } from '../../domain/derivation/group-derivation.ts'
import type { FactorEntry } from '../../domain/site/site-entry.ts'
import { each } from '../file/file-parts.ts'
import type { ValuePath } from '../../schemas/value-path.ts'
import type { ProblemList } from '../../yaml/problem-list.ts'
import { allowsType, type SiteContext } from './site-context.ts'

/** Checks the references of users and factors, and that structures of other files keep what they use. */
export function checkCatalogue(file: SiteFile, context: SiteContext, problems: ProblemList): void {
  for (const [user, path] of each(file.users, 'users')) {
    if (user.structures === 'all') continue
    for (const [id, place] of each(user.structures, ...path, 'structures')) {
      if (!context.structures.has(id)) problems.add(place, `there is no structure ${id}`)
    }
  }
  for (const [factor, path] of each(file.factors, 'factors')) {
    for (const [id, place] of each(factor.structureTypes, ...path, 'structureTypes')) {
      if (!context.structureTypes.has(id)) {
        problems.add(place, `there is no structure type ${id}`)
      }
    }
    const keys = factor.items.map(({ key }) => key)
    checkKeys(keys, [...path, 'items'], problems)
    const entry = context.factors.get(factor.id)
    for (const loss of entry === undefined ? [] : findLosses(entry, context)) {
      problems.add(path, loss)
    }
  }
}

/** Checks that item keys are unique. */
export function checkKeys(keys: readonly string[], path: ValuePath, problems: ProblemList): void {
  for (const [index, key] of keys.entries()) {
    if (keys.indexOf(key) < index) {
      problems.add([...path, index, 'key'], `item key ${key} exists already`)
    }
  }
}

/** What structures of other files use and the factor no longer has. */
function* findLosses(factor: FactorEntry, { unchanged }: SiteContext): Generator<string> {
  const keys = new Set(factor.items.map(({ key }) => key))
  for (const entry of unchanged) {
    if (entry.kind === 'structure') {
      if (entry.factors.includes(factor.id) && !allowsType(factor, entry)) {
        yield (
          `structure ${entry.id}, which is not in this file, has this factor and is of ` +
          `structure type ${entry.type}`
        )
      }
      continue
    }
    if (!('factor' in entry) || entry.factor !== factor.id) continue
    if (entry.kind === 'station') {
      const missing = entry.from?.conversions.find(({ item }) => !keys.has(item))
      if (missing !== undefined) yield stillUsed(missing.item, `station ${entry.id}`)
    }
    if (entry.kind === 'group' && entry.conversion !== undefined) {
      const used = groupItems(entry.conversion).flatMap(({ item, from }) => [item, from])
      const missing = used.find((item) => !keys.has(item))
      if (missing !== undefined) yield stillUsed(missing, `group ${entry.id}`)
    }
    if (entry.kind === 'thresholdBatch') {
      const missing = entry.items.find(({ item }) => !keys.has(item))
      if (missing !== undefined) yield stillUsed(missing.item, `threshold batch ${entry.id}`)
      if (!factor.timeDivision && entry.items.some(({ timeDivision }) => timeDivision)) {
        yield (
          `threshold batch ${entry.id} of structure ${entry.structure}, which is not in ` +
          'this file, depends on the time of day: timeDivision must stay true'
        )
      }
    }
  }
}

function stillUsed(item: string, user: string): string {
  return `item ${item} is missing and still used by ${user} of a structure that is not in this file`
}
