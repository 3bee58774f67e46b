import type { Quality, QualityClass } from './quality.ts'

/** The highest number of a status code, which has 32 bits. */
const MOST = 0xffff_ffff

/** Small numbers: the bits below the type of the info bits, which no status code has alone. */
const LEAST_BUT_ZERO = 0x400

/** The bits that name a status; those below say more about it, not what it is. */
const STATUS = 0xffff_0000

/**
 * The class and the reason of an OPC UA status code (IEC 62541-4, 7.39): a name of the table below,
 * or the hexadecimal code. Undefined for a number that is none.
 *
 * 1 to 1023 are none: without a type of info bits these have to be 0. Such numbers are flags of other
 * schemes (QARTOD, OPC Classic), in which a 4 is bad and a 192 is good.
 */
export function readStatusCode(code: number): Quality | undefined {
  if (!Number.isInteger(code) || code < 0 || code > MOST) return undefined
  if (code > 0 && code < LEAST_BUT_ZERO) return undefined
  const quality = CLASSES[code >>> 30]
  if (quality === undefined) return undefined
  const status = (code & STATUS) >>> 0
  const hexadecimal = `0x${status.toString(16).toUpperCase().padStart(8, '0')}`
  return { quality, reason: REASONS.get(status) ?? hexadecimal }
}

/** The classes by the two highest bits; 11 is reserved. */
const CLASSES: readonly (QualityClass | undefined)[] = ['good', 'uncertain', 'bad', undefined]

/**
 * The codes that belong to a value, without their class: of data access (IEC 62541-8, 6.3) and the
 * common ones of IEC 62541-4, 7.39.2. Figures: `Schema/StatusCode.csv` of the OPC Foundation.
 */
const REASONS: ReadonlyMap<number, string> = new Map([
  [0x0000_0000, ''],
  [0x002f_0000, 'overload'],
  [0x0030_0000, 'clamped'],
  [0x0096_0000, 'localOverride'],
  [0x00dc_0000, 'edited'],
  [0x00e0_0000, 'dependentValueChanged'],
  [0x00eb_0000, 'subNormal'],
  [0x4000_0000, ''],
  [0x408f_0000, 'noCommunicationLastUsableValue'],
  [0x4090_0000, 'lastUsableValue'],
  [0x4091_0000, 'substituteValue'],
  [0x4092_0000, 'initialValue'],
  [0x4093_0000, 'sensorNotAccurate'],
  [0x4094_0000, 'engineeringUnitsExceeded'],
  [0x4095_0000, 'subNormal'],
  [0x40a4_0000, 'dataSubNormal'],
  [0x40de_0000, 'dominantValueChanged'],
  [0x40e2_0000, 'dependentValueChanged'],
  [0x40f2_0000, 'overRange'],
  [0x40f3_0000, 'underRange'],
  [0x4208_0000, 'transducerInManual'],
  [0x4209_0000, 'simulatedValue'],
  [0x420a_0000, 'sensorCalibration'],
  [0x420f_0000, 'configurationError'],
  [0x8000_0000, ''],
  [0x8001_0000, 'unexpectedError'],
  [0x8002_0000, 'internalError'],
  [0x8005_0000, 'communicationError'],
  [0x800a_0000, 'timeout'],
  [0x800d_0000, 'serverNotConnected'],
  [0x8031_0000, 'noCommunication'],
  [0x8032_0000, 'waitingForInitialData'],
  [0x8034_0000, 'nodeIdUnknown'],
  [0x803a_0000, 'notReadable'],
  [0x803c_0000, 'outOfRange'],
  [0x8089_0000, 'configurationError'],
  [0x808a_0000, 'notConnected'],
  [0x808b_0000, 'deviceFailure'],
  [0x808c_0000, 'sensorFailure'],
  [0x808d_0000, 'outOfService'],
  [0x809b_0000, 'noData'],
  [0x809d_0000, 'dataLost'],
  [0x809e_0000, 'dataUnavailable'],
  [0x80ae_0000, 'connectionClosed'],
  [0x80e1_0000, 'dominantValueChanged'],
  [0x80e3_0000, 'dependentValueChanged'],
  [0x80f0_0000, 'noValue'],
])
