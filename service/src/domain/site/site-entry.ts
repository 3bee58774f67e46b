import type {
  BatchSettings,
  Hysteresis,
  ItemRules,
  StructureAlarms,
} from '../alarms/alarm-settings.ts'
import type { Retention } from '../retention/retained-kind.ts'
import type { DeviceKind } from './device-kind.ts'

/**
 * A declaration of a site file, in a flat form: the site file is flattened into entries, storage
 * keeps them, and the catalogue is built from them. References are ids; `null` means "left out".
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
  /** The structure types that it is for; `null` means every type. */
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
  /** An IANA name, by default the zone of the site file. */
  timeZone: string
  projects: number[]
  /** The configured factors, in the order of the site file. */
  factors: number[]
  traffic: TrafficSettings | null
  /** Missing: records never expire. */
  retention?: Retention
  /** Missing members are those of `STRUCTURE_ALARMS`. */
  alarms?: Partial<StructureAlarms>
}

export type TrafficSettings = {
  loadUnit: string
  axleLoadUnit: string
  /** Display names by field, for fields with another name than the default. */
  names: Record<string, string>
}

type ParameterDefinition = { name: string; unit: string }

export type GroupEntry = {
  kind: 'group'
  id: number
  structure: number
  factor: number
  name: string
  typeId: string
  params: Record<string, ParameterDefinition>
  /** Missing: the values of its stations do not depend on each other. */
  conversion?: GroupConversion
}

/** How values of a group's stations are computed from each other. */
export type GroupConversion = InclinometerConversion | SettlementConversion

type InclinometerConversion = {
  kind: 'inclinometer'
  /** The group's parameter with the depth of each station. */
  depth: string
  fixedEnd: 'bottom' | 'top'
  /** The item that is summed, by the item of the sum. */
  sums: Record<string, string>
}

type SettlementConversion = {
  kind: 'settlement'
  /** The item of which every station has the difference to the base point. */
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
  /** Missing: it tracks no frequencies of waveforms. */
  fromWaveform?: WaveformSource
  /** The camera that shows it. Missing: none. */
  camera?: number
}

/** A vibration station, and the bands in Hz in which the peaks of its waveforms are tracked. */
type WaveformSource = {
  station: number
  peaks: { item: string; low: number; high: number; ratio: number }[]
}

/** The derivation of a station's values. */
type StationSource = {
  sensors: string[]
  /** The alignment window in seconds, by default 0. */
  alignSeconds?: number
  conversions: ConversionSettings[]
}

/** The settings of one conversion. */
export type ConversionSettings = {
  kind: string
  /** The item that it computes. */
  item: string
  /** The sensor of inputs that name no other; with `combine` the first sensor. */
  sensor: string
  /** The local time from which these parameters apply; `null`: always. */
  validFrom: string | null
  /** Numbers and texts; without `inputs` also raw keys by the names of inputs. */
  parameters: Record<string, number | string>
  /**
   * The raw values that it reads, by the names of its inputs; with `combine` one set for each combined
   * value. Missing in older entries: use `inputsOf`.
   */
  inputs?: ConversionInputs[]
  /** How the values of several sensors are combined. Missing: there is one value. */
  combine?: Combination
}

export type ConversionInputs = Record<string, ConversionInput>

/** A raw value: its sensor and its key there. */
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
} & BatchSettings

export type ThresholdItem = {
  /** The item's key. */
  item: string
  timeDivision: boolean
  /** Empty for an item with rules only. */
  config: ThresholdSlot[]
  hysteresis?: Hysteresis
} & ItemRules

/** A daily slot with clock times `HH:mm:ss`, or `null` and `null` for the whole day. */
export type ThresholdSlot = {
  startTime: string | null
  endTime: string | null
  thresholds: ThresholdLevel[]
}

export type ThresholdLevel = { level: number; value: string }

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

type RawItem = { key: string; name: string; unit: string }

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
  /** What quality `d` plays. Missing: the same as `h`. */
  standard?: { source?: string; height?: number }
  /** The ONVIF device service. Missing: it cannot be moved by the service. */
  onvif?: string
}
