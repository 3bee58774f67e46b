/** How messages of some topics become records; what is left out comes from the preset. */
export type MappingSettings = {
  /** Topic filter whose levels may be named: `site/{sensor}/{key}`. */
  topic: string
  preset?: Preset | undefined
  /** Where the records lie in a message; a list there stands for its elements. */
  records?: string | undefined
  sensor?: string | undefined
  /** Where the time lies, or `arrival`. */
  time?: string | undefined
  /** Of a time that is a number. */
  timeUnit?: TimeUnit | undefined
  /** Where an object of item key to value lies. */
  values?: string | undefined
  /** Where each item's value lies, by item key. */
  fields?: Readonly<Record<string, string>> | undefined
  /** The item's key, where a record carries one value. */
  key?: string | undefined
  value?: string | undefined
  /** Ids of sensors by the names that messages use. */
  sensors?: Readonly<Record<string, string>> | undefined
  /** Item keys by the names that messages use; the empty text leaves a value out. */
  items?: Readonly<Record<string, string>> | undefined
  /** What becomes of true and false. */
  booleans?: 'refuse' | 'numbers' | undefined
  /** Whether records of one sensor and instant complete each other. */
  merge?: boolean | undefined
}

export type Preset = 'tsValues' | 'valuePerTopic' | 'sensorTimeValues'

export type TimeUnit = 'seconds' | 'milliseconds' | 'microseconds' | 'nanoseconds'

type PresetSettings = Omit<MappingSettings, 'topic' | 'preset'>

/** The shapes in which most gateways send. */
export const PRESETS: Readonly<Record<Preset, PresetSettings>> = {
  /** `{"ts": 1772362800000, "values": {"temperature": 21.3}}`, or a list of them. */
  tsValues: { sensor: '{sensor}', time: '@.ts', values: '@.values' },
  /** `21.3` under a topic that names sensor and item. */
  valuePerTopic: { sensor: '{sensor}', key: '{key}', value: '@', merge: true },
  /** `{"sensor": "…", "time": "…", "values": {…}}`, or a list of them. */
  sensorTimeValues: { sensor: '@.sensor', time: '@.time', values: '@.values' },
}
