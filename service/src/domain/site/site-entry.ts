import type {
  ClearSettings,
  Hysteresis,
  ItemRules,
  StructureAlarms,
} from '../alarms/alarm-settings.ts'
import type { Retention } from '../retention/retention-period.ts'

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
  /** Not there, or a part of it: `STRUCTURE_ALARMS` holds. */
  alarms?: Partial<StructureAlarms>
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
  /** Not there: the values of its stations do not depend on each other. */
  conversion?: GroupConversion
}

/** How the values of a group's stations make each other's. */
export type GroupConversion = InclinometerConversion | SettlementConversion

export type InclinometerConversion = {
  kind: 'inclinometer'
  /** The group's parameter that holds each station's depth. */
  depth: string
  fixedEnd: 'bottom' | 'top'
  /** The item that each sum is given as, and the item that is summed. */
  sums: Record<string, string>
}

export type SettlementConversion = {
  kind: 'settlement'
  /** The item that is taken at every station and given as the difference to the base point. */
  item: string
  /** The group's parameter that is true at the base point. */
  isBase: string
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
  /** Not there: its values are no frequencies of waveforms. */
  fromWaveform?: WaveformSource
}

/** A vibration station, and in which bands its waveforms' frequencies are looked for, in Hz. */
export type WaveformSource = {
  station: number
  peaks: { item: string; low: number; high: number; ratio: number }[]
}

/** Where a station's values come from, when they do not arrive ready. */
export type StationSource = {
  sensors: string[]
  /** How far apart in time values of several sensors may lie to belong together. Not there: 0. */
  alignSeconds?: number
  conversions: ConversionSettings[]
}

/** Settings of one conversion: `kind` names it, the rest are its parameters. */
export type ConversionSettings = {
  kind: string
  /** The item it computes. */
  item: string
  /** The sensor it reads where an input names no other; with `combine` the first of them. */
  sensor: string
  /** Local time of the structure from which these parameters hold; `null`: always. */
  validFrom: string | null
  /** Numbers and texts; in entries without `inputs` also raw keys by the names of inputs. */
  parameters: Record<string, number | string>
  /**
   * What it reads, by the names of its inputs: once, or with `combine` once for each value that is
   * combined. Not there in older entries; `inputsOf` knows it of all.
   */
  inputs?: ConversionInputs[]
  /** What is made of the values of several sensors. Not there: nothing is combined. */
  combine?: Combination
}

export type ConversionInputs = Record<string, ConversionInput>

/** A raw value: the sensor that sends it, and its key there. */
export type ConversionInput = { sensor: string; key: string }

export type Combination = 'mean' | 'maximum' | 'minimum' | 'sum'

export type ThresholdBatchEntry = {
  kind: 'thresholdBatch'
  /** The batch number, a uuid. */
  id: string
  structure: number
  factor: number
  stations: number[]
  items: ThresholdItem[]
} & ClearSettings

export type ThresholdItem = {
  /** The item's key. */
  item: string
  timeDivision: boolean
  /** Empty where the item has rules only. */
  config: ThresholdSlot[]
  hysteresis?: Hysteresis
} & ItemRules

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
