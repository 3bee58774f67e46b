import type { RateSettings } from '../../domain/alarms/alarm-settings.ts'
import type {
  GroupEntry,
  SiteEntry,
  StationEntry,
  ThresholdBatchEntry,
  ThresholdItem,
  ThresholdSlot,
} from '../../domain/site/site-entry.ts'
import type { BatchPart, FactorPart, GroupPart, ItemPart, StationPart } from '../file/file-parts.ts'
import { DEFAULT_LONGEST_GAP, type RatePart } from '../file/flatten-rules.ts'
import { unflattenSource } from './unflatten-source.ts'

/** A configured factor of a structure with its groups, stations and thresholds. */
export function unflattenFactorPart(factor: number, parts: readonly SiteEntry[]): FactorPart {
  const here = parts.filter((entry) => 'factor' in entry && entry.factor === factor)
  const stations = here.filter((entry) => entry.kind === 'station')
  const groups = here.filter((entry) => entry.kind === 'group')
  const batches = here.filter((entry) => entry.kind === 'thresholdBatch')
  const alone = stations.filter(({ group }) => group === null)
  const ofGroup = ({ id }: GroupEntry) => stations.filter(({ group }) => group === id)
  return {
    factor,
    ...(groups.length === 0
      ? {}
      : { groups: groups.map((group) => unflattenGroup(group, ofGroup(group))) }),
    ...(alone.length === 0 ? {} : { stations: alone.map(unflattenStation) }),
    ...(batches.length === 0 ? {} : { thresholds: batches.map(unflattenBatch) }),
  }
}

function unflattenGroup(group: GroupEntry, stations: readonly StationEntry[]): GroupPart {
  const { id, name, typeId, params, conversion } = group
  const definitions = Object.entries(params).map(([key, { name, unit }]) => {
    return [key, { name, ...(unit === '' ? {} : { unit }) }] as const
  })
  return {
    id,
    name,
    ...(typeId === '0' ? {} : { typeId }),
    ...(definitions.length === 0 ? {} : { params: Object.fromEntries(definitions) }),
    ...(conversion === undefined ? {} : { conversion }),
    ...(stations.length === 0 ? {} : { stations: stations.map(unflattenStation) }),
  }
}

function unflattenStation(station: StationEntry): StationPart {
  const { id, name, portrait, labels, groupParams, multiParams } = station
  const { from, fromWaveform, camera } = station
  return {
    id,
    name,
    ...(portrait === '' ? {} : { portrait }),
    ...(labels.length === 0 ? {} : { labels }),
    ...(Object.keys(groupParams).length === 0 ? {} : { groupParams }),
    ...(multiParams === null ? {} : { multiParams }),
    ...(from === null ? {} : { from: unflattenSource(from) }),
    ...(fromWaveform === undefined ? {} : { fromWaveform }),
    ...(camera === undefined ? {} : { camera }),
  }
}

/** A threshold batch as a site file has it. */
export function unflattenBatch(batch: ThresholdBatchEntry): BatchPart {
  const { kind: _kind, structure: _structure, factor: _factor, id, stations, items } = batch
  const { enabled, raiseAfter, clearAfter, clearAfterMinutes, needsPerson } = batch
  return {
    batchNo: id,
    stations,
    ...(enabled === undefined ? {} : { enabled }),
    ...(raiseAfter === undefined ? {} : { raiseAfter }),
    ...(clearAfter === undefined ? {} : { clearAfter }),
    ...(clearAfterMinutes === undefined ? {} : { clearAfterMinutes }),
    ...(needsPerson === undefined ? {} : { needsPerson }),
    items: items.map(unflattenItem),
  }
}

/** Rules have the same members in a file as in an entry; a rate over days names no gap. */
function unflattenItem({ item, timeDivision, config, rates, ...rules }: ThresholdItem): ItemPart {
  return {
    item,
    ...(timeDivision ? { timeDivision } : {}),
    ...(config.length === 0 ? {} : { config: config.map(unflattenSlot) }),
    ...(rates === undefined ? {} : { rates: rates.map(unflattenRate) }),
    ...rules,
  }
}

const unflattenRate = ({ longestGap, ...rate }: RateSettings): RatePart =>
  longestGap === DEFAULT_LONGEST_GAP ? rate : { ...rate, longestGap }

const unflattenSlot = ({ startTime, endTime, thresholds }: ThresholdSlot) => ({
  ...(startTime === null ? {} : { startTime }),
  ...(endTime === null ? {} : { endTime }),
  thresholds,
})
