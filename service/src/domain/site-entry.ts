import type { Retention } from './retention-term.ts'

/**
 * What a site file declares, one flat entry per thing.
 *
 * Storage keeps entries as they are, the site file is flattened into them, and the catalogue
 * is built from them. References are ids; `null` means "left out".
 */
export type SiteEntry =
  | UserEntry
  | ProjectEntry
  | StructureTypeEntry
  | FactorEntry
  | StructureEntry
  | GroupEntry
  | StationEntry
  | ThresholdBatchEntry
  | DeviceEntry
  | CameraEntry

export type SiteEntryKind = SiteEntry['kind']

export type UserEntry = {
  kind: 'user'
  id: number
  name: string
  structures: 'all' | number[]
}

export type ProjectEntry = { kind: 'project'; id: number; name: string }

export type StructureTypeEntry = { kind: 'structureType'; id: number; name: string }

export type FactorEntry = {
  kind: 'factor'
  id: number
  name: string
  /** The structure types it is meant for; `null` means every type. */
  structureTypes: number[] | null
  timeDivision: boolean
  items: FactorItem[]
}

export type FactorItem = { id: number; key: string; name: string; unit: string; precision: number }

export type StructureEntry = {
  kind: 'structure'
  id: number
  name: string
  type: number
  latitude: number
  longitude: number
  portrait: string
  /** IANA name; the file's own zone where the structure names none. */
  timeZone: string
  projects: number[]
  /** The configured factors, in the order of the file. */
  factors: number[]
  traffic: TrafficSettings | null
  /** Not there: everything is kept for ever. */
  retention?: Retention
}

export type TrafficSettings = {
  loadUnit: string
  axleLoadUnit: string
  /** Display names by field, for the fields whose name is not the default one. */
  names: Record<string, string>
}

export type ParameterDefinition = { name: string; unit: string }

export type GroupEntry = {
  kind: 'group'
  id: number
  structure: number
  factor: number
  name: string
  typeId: string
  params: Record<string, ParameterDefinition>
}

export type StationEntry = {
  kind: 'station'
  id: number
  structure: number
  factor: number
  /** `null`: served in the default group of its structure and factor. */
  group: number | null
  name: string
  portrait: string
  labels: string[]
  groupParams: Record<string, number | string | boolean>
  multiParams: Record<string, unknown> | null
  from: StationSource | null
}

/** Where a station's values come from, when they do not arrive ready. */
export type StationSource = { sensors: string[]; conversions: ConversionSettings[] }

/** Settings of one conversion: `kind` names it, the rest are its parameters. */
export type ConversionSettings = {
  kind: string
  /** The item it computes. */
  item: string
  /** The sensor it reads. */
  sensor: string
  /** Local time of the structure from which these parameters hold; `null`: always. */
  validFrom: string | null
  parameters: Record<string, number | string>
}

export type ThresholdBatchEntry = {
  kind: 'thresholdBatch'
  /** The batch number, a uuid. */
  id: string
  structure: number
  factor: number
  stations: number[]
  items: ThresholdItem[]
}

export type ThresholdItem = {
  /** The item's key. */
  item: string
  timeDivision: boolean
  config: ThresholdSlot[]
}

/** Clock times `HH:mm:ss` of a daily slot, or `null` and `null` for the whole day. */
export type ThresholdSlot = {
  startTime: string | null
  endTime: string | null
  thresholds: ThresholdLevel[]
}

export type ThresholdLevel = { level: number; value: string }

export type DeviceKind = 'gateway' | 'dtu' | 'node' | 'sensor'

export type DeviceEntry = {
  kind: 'device'
  /** A uuid. */
  id: string
  structure: number
  name: string
  deviceKind: DeviceKind
  parent: string | null
  intervalSeconds: number | null
  items: RawItem[]
}

export type RawItem = { key: string; name: string; unit: string }

export type CameraEntry = {
  kind: 'camera'
  id: number
  structure: number
  location: string
  serialNo: string
  channelNo: number
  hasPTZ: boolean
  type: string
  source: string
}
