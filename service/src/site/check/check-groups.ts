import { depthOf, isBasePoint } from '../../domain/derivation/group-derivation.ts'
import type { FactorEntry, GroupConversion } from '../../domain/site/site-entry.ts'
import { show } from '../../errors/show.ts'
import { devicesOf } from './check-devices.ts'
import { each, type FactorPart, type GroupPart, type StructurePart } from '../file/file-parts.ts'
import { flattenGroupConversion } from '../file/group-conversion.ts'
import { didYouMeanOr } from '../../schemas/near-miss.ts'
import { resolveConversions } from './resolve-conversions.ts'
import type { ValuePath } from '../../schemas/value-path.ts'
import type { ProblemList } from '../../yaml/problem-list.ts'

type GroupContext = {
  factor: FactorEntry
  structure: StructurePart
  problems: ProblemList
  notes: ProblemList
}

/** Checks the conversions of groups. */
export function checkGroups(part: FactorPart, path: ValuePath, context: GroupContext): void {
  for (const [group, groupPath] of each(part.groups, ...path, 'groups')) {
    if (group.conversion === undefined) continue
    noteWithoutSource(group, groupPath, context.notes)
    const conversion = flattenGroupConversion(group.conversion)
    if (conversion.kind === 'inclinometer') checkInclinometer(group, conversion, groupPath, context)
    else checkSettlement(group, conversion, groupPath, context)
  }
}

function noteWithoutSource(group: GroupPart, path: ValuePath, notes: ProblemList): void {
  const without = (group.stations ?? []).filter(({ from }) => from === undefined)
  if (without.length === 0) return
  const ids = without.map(({ id }) => id)
  const message = `${stationsOf(ids)} no "from", so the conversion computes nothing of the values that arrive there: give "from", or leave the conversion out`
  notes.add([...path, 'conversion'], message)
}

const stationsOf = (ids: readonly number[]): string => {
  const [first] = ids
  return ids.length === 1
    ? `station ${first} has`
    : `${ids.length} stations, the first ${first}, have`
}

type ConversionOf<Kind> = Extract<GroupConversion, { kind: Kind }>

function checkInclinometer(
  group: GroupPart,
  { depth: name, sums }: ConversionOf<'inclinometer'>,
  path: ValuePath,
  context: GroupContext,
): void {
  const { problems } = context
  checkDefined(group, name, 'depth', path, problems)
  const stationByDepth = new Map<number, number>()
  for (const [station, stationPath] of each(group.stations, ...path, 'stations')) {
    const depth = depthOf(station.groupParams ?? {}, name)
    const depthPath = [...stationPath, 'groupParams', name]
    const other = depth === undefined ? undefined : stationByDepth.get(depth)
    if (depth === undefined) {
      problems.add(depthPath, `station ${station.id} has no ${name}, expected a number`)
    } else if (other !== undefined) {
      const message = `station ${station.id} has the ${name} of station ${other}, expected its own`
      problems.add(depthPath, message)
    } else stationByDepth.set(depth, station.id)
  }
  checkSums(group, sums, path, context)
}

function checkSums(
  group: GroupPart,
  sums: Record<string, string>,
  path: ValuePath,
  { factor, structure, problems }: GroupContext,
): void {
  const sumsPath = [...path, 'conversion', 'sums']
  if (Object.keys(sums).length === 0) problems.add(sumsPath, 'expected at least one sum')
  for (const [sum, item] of Object.entries(sums)) {
    checkItem(sum, [...sumsPath, sum], factor, problems)
    checkItem(item, [...sumsPath, sum], factor, problems)
    if (Object.hasOwn(sums, item)) {
      problems.add([...sumsPath, sum], `${item} is a sum itself, expected an item of the segments`)
    }
  }
  const devices = devicesOf(structure)
  for (const [station, stationPath] of each(group.stations, ...path, 'stations')) {
    if (station.from === undefined) continue
    const { conversions } = resolveConversions(station.from, factor, devices)
    const summed = conversions.find(({ item }) => Object.hasOwn(sums, item))
    if (summed === undefined) continue
    const message = `station ${station.id} has ${summed.item} as a sum of group ${group.id} already`
    problems.add([...stationPath, 'from', 'conversion'], message)
  }
}

function checkSettlement(
  group: GroupPart,
  { item, isBase: name }: ConversionOf<'settlement'>,
  path: ValuePath,
  { factor, problems }: GroupContext,
): void {
  checkItem(item, [...path, 'conversion', 'item'], factor, problems)
  checkDefined(group, name, 'isBase', path, problems)
  let base: number | undefined
  for (const [station, stationPath] of each(group.stations, ...path, 'stations')) {
    const parameters = station.groupParams ?? {}
    const value = Object.hasOwn(parameters, name) ? parameters[name] : false
    const valuePath = [...stationPath, 'groupParams', name]
    if (value !== true && value !== false && value !== 1 && value !== 0) {
      problems.add(valuePath, `expected true or false, found ${show(value)}`)
    }
    if (!isBasePoint(parameters, name)) continue
    if (base !== undefined) {
      problems.add(valuePath, `station ${base} is the base point of group ${group.id} already`)
    }
    base ??= station.id
  }
  if (base === undefined) {
    const message = `group ${group.id} has no base point, expected one station with ${name}: true`
    problems.add([...path, 'conversion'], message)
  }
}

function checkItem(key: string, path: ValuePath, factor: FactorEntry, problems: ProblemList): void {
  const keys = factor.items.map((item) => item.key)
  if (keys.includes(key)) return
  problems.add(path, `factor ${factor.id} has no item ${key}${didYouMeanOr(key, keys)}`)
}

/** Checks that the group defines the parameter of a conversion. */
function checkDefined(
  group: GroupPart,
  name: string,
  member: 'depth' | 'isBase',
  path: ValuePath,
  problems: ProblemList,
): void {
  const defined = Object.keys(group.params ?? {})
  if (defined.includes(name)) return
  const message = `group ${group.id} defines no parameter ${name}${didYouMeanOr(name, defined)}`
  problems.add([...path, 'conversion', member], message)
}
