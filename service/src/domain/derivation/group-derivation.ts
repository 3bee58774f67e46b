import type { GroupValue } from './conversions/group-value.ts'
import { sumSegments } from './conversions/inclinometer-sums.ts'
import { subtractBase } from './conversions/settlement-difference.ts'
import type { GroupConversion, StationEntry } from '../site/site-entry.ts'

/** A station of a group with its own value, unrounded, of the item that the group is made from. */
export type GroupMember = Pick<StationEntry, 'name' | 'groupParams'> & { value: number | undefined }

/** The items that a group gives its stations, each with the item it is made from. */
export function groupItems(conversion: GroupConversion): { item: string; from: string }[] {
  if (conversion.kind === 'settlement') return [{ item: conversion.item, from: conversion.item }]
  return Object.entries(conversion.sums).map(([item, from]) => ({ item, from }))
}

/** What each member has of its group, in their order, unrounded. */
export function deriveGroup(
  conversion: GroupConversion,
  members: readonly GroupMember[],
): GroupValue[] {
  if (conversion.kind === 'settlement') {
    return subtractBase(
      members.map(({ name, groupParams, value }) => {
        return { name, isBase: isBasePoint(groupParams, conversion.isBase), value }
      }),
    )
  }
  const segments = members.map(({ name, groupParams, value }) => {
    return { name, depth: depthOf(groupParams, conversion.depth), value }
  })
  return sumSegments(segments, conversion.fixedEnd)
}

type GroupParams = StationEntry['groupParams']

/** The depth that a station's parameters tell, a number. */
export function depthOf(parameters: GroupParams, name: string): number | undefined {
  const depth = Object.hasOwn(parameters, name) ? parameters[name] : undefined
  return typeof depth === 'number' ? depth : undefined
}

/** Whether a station is the base point: its parameter is true, or 1. */
export function isBasePoint(parameters: GroupParams, name: string): boolean {
  const isBase = Object.hasOwn(parameters, name) ? parameters[name] : undefined
  return isBase === true || isBase === 1
}
