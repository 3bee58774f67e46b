import type { DeviceKind } from '../site/device-kind.ts'

/**
 * An alarm type of the interface: its four-digit code, the category that `types` of a list filters
 * by (1 data, 2 DTU, 3 sensor, 4 gateway, 5 node) and the kind of its source (0 DTU, 1 sensor,
 * 2 station).
 */
export type AlarmType = Readonly<{ code: string; category: number; sourceType: number }>

const data = (code: string): AlarmType => ({ code, category: 1, sourceType: 2 })

/** The alarms of a station's values, in the order in which a record changes them. */
export const DATA_ALARM_NAMES = ['range', 'threshold', 'rate', 'frozen'] as const

export type DataAlarm = (typeof DATA_ALARM_NAMES)[number]

/** The alarm types of a station's values. The interface does not define 3010. */
export const DATA_ALARMS = {
  range: data('3005'),
  threshold: data('3007'),
  rate: data('3008'),
  frozen: data('3010'),
} as const satisfies Record<DataAlarm, AlarmType>

/** Why a device has an alarm: it is silent, or it reports an error. */
export type DeviceCause = 'silence' | 'error'

/**
 * The alarm types of devices. The interface has three kinds of source only, so a gateway is a DTU
 * and a node a sensor there. It defines 2001, 3006 and 5001 only.
 */
export const DEVICE_ALARMS = {
  gateway: {
    silence: { code: '5001', category: 4, sourceType: 0 },
    error: { code: '5002', category: 4, sourceType: 0 },
  },
  dtu: {
    silence: { code: '2001', category: 2, sourceType: 0 },
    error: { code: '2002', category: 2, sourceType: 0 },
  },
  node: {
    silence: { code: '6002', category: 5, sourceType: 1 },
    error: { code: '6003', category: 5, sourceType: 1 },
  },
  sensor: {
    silence: { code: '3006', category: 3, sourceType: 1 },
    error: { code: '3011', category: 3, sourceType: 1 },
  },
} as const satisfies Record<DeviceKind, Record<DeviceCause, AlarmType>>

/** The alarm types in words for people, by code. */
const ALARM_TYPE_WORDS: ReadonlyMap<string, string> = new Map([
  [DATA_ALARMS.range.code, 'value out of range'],
  [DATA_ALARMS.threshold.code, 'value over threshold'],
  [DATA_ALARMS.rate.code, 'rate of change'],
  [DATA_ALARMS.frozen.code, 'frozen value'],
  [DEVICE_ALARMS.gateway.silence.code, 'gateway silent'],
  [DEVICE_ALARMS.gateway.error.code, 'gateway error'],
  [DEVICE_ALARMS.dtu.silence.code, 'DTU not connected'],
  [DEVICE_ALARMS.dtu.error.code, 'DTU error'],
  [DEVICE_ALARMS.node.silence.code, 'node silent'],
  [DEVICE_ALARMS.node.error.code, 'node error'],
  [DEVICE_ALARMS.sensor.silence.code, 'sensor data interrupted'],
  [DEVICE_ALARMS.sensor.error.code, 'sensor error'],
])

/** An alarm type in words; an unknown code as it is. */
export const describeAlarmType = (code: string): string =>
  ALARM_TYPE_WORDS.get(code) ?? `alarm type ${code}`

/** Returns the eight-digit code of a transition: the type, and the level in the last four digits. */
export function alarmCode(typeCode: string, level: number): string {
  return typeCode + String(level).padStart(4, '0')
}
