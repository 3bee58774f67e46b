import type { GroupValue } from './conversions/group-value.ts'
import { sumSegments } from './conversions/inclinometer-sums.ts'
import { subtractBase } from './conversions/settlement-difference.ts'
import { ownValue } from './own-value.ts'
import type { GroupConversion, StationEntry } from '../site/site-entry.ts'

/** A station of a group and its own unrounded value of the item that the group conversion reads. */
type GroupMember = Pick<StationEntry, 'name' | 'groupParams'> & { value: number | undefined }

/** Returns the items that a group conversion computes, each with the item that it reads. */
export function groupItems(conversion: GroupConversion): { item: string; from: string }[] {
  if (conversion.kind === 'settlement') return [{ item: conversion.item, from: conversion.item }]
  return Object.entries(conversion.sums).map(([item, from]) => ({ item, from }))
}

/** Computes the unrounded values of all members of a group, in their order. */
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

/** Returns the depth of a station's parameters, if it is a number. */
export function depthOf(parameters: GroupParams, name: string): number | undefined {
  const depth = ownValue(parameters, name)
  return typeof depth === 'number' ? depth : undefined
}

/** Whether a station is the base point: its parameter is true or 1. */
export function isBasePoint(parameters: GroupParams, name: string): boolean {
  const isBase = ownValue(parameters, name)
  return isBase === true || isBase === 1
}
