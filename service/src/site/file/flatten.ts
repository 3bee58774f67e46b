import { zone } from '../../domain/time/local-time.ts'
import { DEFAULT_OFF_DELAY, type RaiseSettings } from '../../domain/alarms/alarm-settings.ts'
import type {
  CameraEntry,
  DeviceEntry,
  FactorEntry,
  GroupEntry,
  SiteEntry,
  StationEntry,
  StructureEntry,
  ThresholdBatchEntry,
} from '../../domain/site/site-entry.ts'
import { checkThresholdConfig } from '../../domain/alarms/threshold.ts'
import { unmaskCamera } from '../apply/camera-addresses.ts'
import { devicesOf } from '../check/check-devices.ts'
import {
  canonicalUuid,
  each,
  eachStation,
  type BatchPart,
  type CameraPart,
  type DevicePart,
  type FactorPart,
  type GroupPart,
  type SourcePart,
  type StationPart,
  type StructurePart,
} from './file-parts.ts'
import { flattenCatalogue } from './flatten-catalogue.ts'
import { flattenRules } from './flatten-rules.ts'
import { flattenGroupConversion } from './group-conversion.ts'
import { resolveConversions } from '../check/resolve-conversions.ts'
import type { ValuePath } from '../../schemas/value-path.ts'
import { ProblemList } from '../../yaml/problem-list.ts'
import { siteContext } from '../check/site-context.ts'
import type { SiteDocument } from './read-site-file.ts'
import { flattenSlots } from './threshold-slots.ts'

/**
 * The entries of a checked site file in its order, with defaults, uuids in lower case, canonical
 * thresholds, and the item, sensor and raw keys of each conversion.
 *
 * `stored` has the factors of earlier files to which this one refers, and the addresses of cameras that
 * this one has masked.
 */
export function flatten(
  { file, lines }: SiteDocument,
  stored: readonly SiteEntry[] = [],
): SiteEntry[] {
  const { factors, cameras } = siteContext(file, stored)
  const problems = new ProblemList(lines)
  const entries: SiteEntry[] = flattenCatalogue(file)
  for (const [structure, path] of each(file.structures, 'structures')) {
    entries.push(
      flattenStructure(structure, zone(structure.timeZone ?? file.timeZone ?? 'UTC').name),
    )
    for (const [part, place] of each(structure.factors, ...path, 'factors')) {
      const factor = factors.get(part.factor)
      if (factor === undefined) {
        problems.add([...place, 'factor'], `factor ${part.factor} is not in the catalogue`)
        continue
      }
      entries.push(...flattenFactor(part, place, { structure, factor, problems }))
    }
    for (const device of structure.devices ?? []) entries.push(flattenDevice(device, structure.id))
    for (const camera of structure.cameras ?? []) {
      entries.push(flattenCamera(unmaskCamera(camera, cameras.get(camera.id)), structure.id))
    }
  }
  problems.throwIfAny()
  return entries
}

function flattenStructure(structure: StructurePart, timeZone: string): StructureEntry {
  const { id, name, type, latitude, longitude, traffic, retention, alarms } = structure
  return {
    kind: 'structure',
    id,
    name,
    type,
    latitude,
    longitude,
    portrait: structure.portrait ?? '',
    timeZone,
    projects: structure.projects ?? [],
    factors: (structure.factors ?? []).map(({ factor }) => factor),
    traffic: traffic === undefined ? null : { ...traffic, names: { ...traffic.names } },
    ...(retention === undefined ? {} : { retention: { ...retention } }),
    ...(alarms === undefined ? {} : { alarms: { ...alarms } }),
  }
}

type FactorContext = { structure: StructurePart; factor: FactorEntry; problems: ProblemList }

function* flattenFactor(
  part: FactorPart,
  path: ValuePath,
  { structure, factor, problems }: FactorContext,
): Generator<GroupEntry | StationEntry | ThresholdBatchEntry> {
  const place = { structure: structure.id, factor: factor.id }
  const devices = devicesOf(structure)
  for (const group of part.groups ?? []) yield flattenGroup(group, place)
  for (const [station, stationPath, group] of eachStation(part, path)) {
    yield {
      kind: 'station',
      id: station.id,
      ...place,
      group: group?.id ?? null,
      name: station.name,
      portrait: station.portrait ?? '',
      labels: station.labels ?? [],
      groupParams: station.groupParams ?? {},
      multiParams: station.multiParams ?? null,
      from: station.from === undefined ? null : flattenSource(station.from, stationPath),
      ...flattenWaveform(station),
      ...(station.camera === undefined ? {} : { camera: station.camera }),
    }
  }
  for (const batch of part.thresholds ?? []) yield flattenBatch(batch, place)

  function flattenSource(source: SourcePart, stationPath: ValuePath) {
    const { conversions, problems: found } = resolveConversions(source, factor, devices)
    for (const { path, message } of found) problems.add([...stationPath, 'from', ...path], message)
    const sensors = [...new Set(source.sensors.map(canonicalUuid))]
    const { alignSeconds } = source
    return { sensors, ...(alignSeconds === undefined ? {} : { alignSeconds }), conversions }
  }
}

/** Without a source in waveforms the entry has no such member. */
function flattenWaveform({ fromWaveform }: StationPart): Pick<StationEntry, 'fromWaveform'> {
  if (fromWaveform === undefined) return {}
  const { station, peaks } = fromWaveform
  const bands = peaks.map(({ item, low, high, ratio = 5 }) => ({ item, low, high, ratio }))
  return { fromWaveform: { station, peaks: bands } }
}

type FactorPlace = { structure: number; factor: number }

function flattenGroup(group: GroupPart, place: FactorPlace): GroupEntry {
  const { id, name, typeId = '0', params, conversion } = group
  const definitions = Object.entries(params ?? {}).map(([key, { name, unit = '' }]) => {
    return [key, { name, unit }] as const
  })
  return {
    kind: 'group',
    id,
    ...place,
    name,
    typeId,
    params: Object.fromEntries(definitions),
    ...(conversion === undefined ? {} : { conversion: flattenGroupConversion(conversion) }),
  }
}

/** The entry of a threshold batch. */
export function flattenBatch(batch: BatchPart, place: FactorPlace): ThresholdBatchEntry {
  const { batchNo, stations, items, enabled, raiseAfter, needsPerson } = batch
  return {
    kind: 'thresholdBatch',
    id: canonicalUuid(batchNo),
    ...place,
    stations,
    items: items.map((part) => {
      const { item, timeDivision = false, config } = part
      const { slots } = checkThresholdConfig(flattenSlots(config), timeDivision)
      return { item, timeDivision, config: slots, ...flattenRules(part) }
    }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(raiseAfter === undefined ? {} : { raiseAfter: flattenRaiseAfter(raiseAfter) }),
    ...offDelayOf(batch),
    ...(needsPerson === undefined ? {} : { needsPerson }),
  }
}

function flattenRaiseAfter({
  records = 1,
  of = records,
  minutes,
}: NonNullable<BatchPart['raiseAfter']>): RaiseSettings {
  return minutes === undefined ? { records, of } : { minutes }
}

/** The default is stored, so that a batch that was stored without an off-delay keeps its meaning. */
function offDelayOf({ clearAfter, clearAfterMinutes }: BatchPart) {
  if (clearAfter === undefined && clearAfterMinutes === undefined) return DEFAULT_OFF_DELAY
  return {
    ...(clearAfter === undefined ? {} : { clearAfter }),
    ...(clearAfterMinutes === undefined ? {} : { clearAfterMinutes }),
  }
}

function flattenDevice(device: DevicePart, structure: number): DeviceEntry {
  const { id, name, kind, parent, intervalSeconds, items } = device
  return {
    kind: 'device',
    id: canonicalUuid(id),
    structure,
    name,
    deviceKind: kind,
    parent: parent === undefined || parent === null ? null : canonicalUuid(parent),
    intervalSeconds: intervalSeconds ?? null,
    items: (items ?? []).map(({ key, name, unit = '' }) => ({ key, name, unit })),
  }
}

function flattenCamera(camera: CameraPart, structure: number): CameraEntry {
  const { id, location, serialNo, channelNo = 1, hasPTZ = false, type, ...addresses } = camera
  return {
    kind: 'camera',
    id,
    structure,
    location,
    serialNo,
    channelNo,
    hasPTZ,
    type,
    ...addresses,
  }
}
