import type { SiteFile } from '@plumbline/contract/site'
import type { SiteEntry, SiteEntryKind } from '../../domain/site/site-entry.ts'
import { nameOf } from '../file/entry-name.ts'
import { canonicalUuid, each, eachStation } from '../file/file-parts.ts'
import { type ValuePath, formatPath } from '../../schemas/value-path.ts'
import type { ProblemList } from '../../yaml/problem-list.ts'
import { structureOf, type SiteContext } from './site-context.ts'

/** Checks that every id is unique in the file and among the structures of other files. */
export function checkIds(
  file: SiteFile,
  stored: readonly SiteEntry[],
  { unchanged }: SiteContext,
  problems: ProblemList,
): void {
  const ids = new Ids(unchanged, problems)
  for (const [{ id }, path] of each(file.users, 'users')) ids.claim('user', id, path)
  for (const [{ id }, path] of each(file.projects, 'projects')) ids.claim('project', id, path)
  for (const [{ id }, path] of each(file.structureTypes, 'structureTypes')) {
    ids.claim('structureType', id, path)
  }
  for (const [{ id }, path] of each(file.factors, 'factors')) ids.claim('factor', id, path)
  checkItemIds(file, stored, problems)

  for (const [structure, path] of each(file.structures, 'structures')) {
    ids.claim('structure', structure.id, path)
    for (const [factor, factorPath] of each(structure.factors, ...path, 'factors')) {
      for (const [{ id }, place] of each(factor.groups, ...factorPath, 'groups')) {
        ids.claim('group', id, place)
      }
      for (const [{ id }, place] of eachStation(factor, factorPath)) ids.claim('station', id, place)
      for (const [{ batchNo }, place] of each(factor.thresholds, ...factorPath, 'thresholds')) {
        ids.claim('thresholdBatch', canonicalUuid(batchNo), place, 'batchNo')
      }
    }
    for (const [{ id }, place] of each(structure.devices, ...path, 'devices')) {
      ids.claim('device', canonicalUuid(id), place)
    }
    for (const [camera, place] of each(structure.cameras, ...path, 'cameras')) {
      ids.claim('camera', camera.id, place)
      ids.claimChannel(camera.serialNo, camera.channelNo ?? 1, place)
    }
  }
}

/** Checks that item ids are unique over all factors, those of earlier files included. */
function checkItemIds(file: SiteFile, stored: readonly SiteEntry[], problems: ProblemList): void {
  const inFile = new Set((file.factors ?? []).map(({ id }) => id))
  const owners = new Map<number, string>()
  for (const entry of stored) {
    if (entry.kind !== 'factor' || inFile.has(entry.id)) continue
    for (const { id } of entry.items) owners.set(id, `belongs to factor ${entry.id}`)
  }
  for (const [factor, path] of each(file.factors, 'factors')) {
    for (const [{ id }, place] of each(factor.items, ...path, 'items')) {
      const owner = owners.get(id)
      if (owner !== undefined) problems.add([...place, 'id'], `item ${id} already ${owner}`)
      else owners.set(id, `exists at ${formatPath(place)}`)
    }
  }
}

class Ids {
  readonly #claims = new Map<string, string>()
  readonly #problems: ProblemList

  constructor(unchanged: readonly SiteEntry[], problems: ProblemList) {
    this.#problems = problems
    for (const entry of unchanged) {
      if (entry.kind === 'structure') continue
      const owner = `belongs to structure ${structureOf(entry)}`
      this.#claims.set(nameOf(entry.kind, entry.id), owner)
      if (entry.kind === 'camera') {
        this.#claims.set(nameOfChannel(entry.serialNo, entry.channelNo), owner)
      }
    }
  }

  claim(kind: SiteEntryKind, id: number | string, path: ValuePath, member = 'id'): void {
    this.#claim(nameOf(kind, id), path, member)
  }

  claimChannel(serialNo: string, channelNo: number, path: ValuePath): void {
    this.#claim(nameOfChannel(serialNo, channelNo), path, 'serialNo')
  }

  #claim(name: string, path: ValuePath, member: string): void {
    const claim = this.#claims.get(name)
    if (claim === undefined) this.#claims.set(name, `exists at ${formatPath(path)}`)
    else this.#problems.add([...path, member], `${name} already ${claim}`)
  }
}

function nameOfChannel(serialNo: string, channelNo: number): string {
  return `channel ${channelNo} of camera ${JSON.stringify(serialNo)}`
}
