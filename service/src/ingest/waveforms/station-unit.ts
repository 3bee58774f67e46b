import type { CatalogueStation } from '../../domain/site/catalogue.ts'
import type { PeakSummary } from '../../domain/vibration/peak-summary.ts'
import {
  convertValue,
  describeMismatch,
  findConversion,
  type UnitConversion,
} from '../../domain/units/units.ts'
import { isRejection, type Rejection } from '../records/report.ts'

/** The unit in which a waveform is stored, and how its samples get into it. */
export type WaveformUnit = { unit: string; conversion?: UnitConversion }

const PEAKS: ReadonlySet<string> = new Set<keyof PeakSummary>(['pv', 'ppv', 'trms'])

/** The items of a station that the peaks of its waveforms go to, as far as they have a unit. */
const peakItems = ({ factor }: CatalogueStation) =>
  factor.items.filter(({ key, unit }) => PEAKS.has(key) && unit !== '')

/** The unit of the waveforms of a station: that of its peaks; undefined where these have none. */
export const unitOfStation = (station: CatalogueStation): string | undefined =>
  peakItems(station)[0]?.unit

/**
 * Finds how samples in a unit are stored at a station. A unit of another kind than that of the
 * station's peaks is rejected by name; a waveform without a unit has that of the station.
 */
export function toStationUnit(unit: string, station: CatalogueStation): WaveformUnit | Rejection {
  const own = unitOfStation(station)
  if (own === undefined || unit === '') return { unit }
  const conversion = findConversion(unit, own)
  const other = peakItems(station).find((item) => findConversion(own, item.unit) === undefined)
  if (other !== undefined)
    return {
      rejection: `item ${other.key} of station ${station.entry.id}: ${describeMismatch(own, other.unit)}`,
    }
  if (conversion === 'same') return { unit }
  if (conversion !== undefined) return { unit: own, conversion }
  return {
    rejection: `the unit of the samples is not that of station ${station.entry.id}: ${describeMismatch(unit, own)}`,
  }
}

/** The conversion of the samples of a waveform that is still to be read, where it needs one. */
export function conversionOf(
  unit: unknown,
  station: CatalogueStation | undefined,
): UnitConversion | undefined {
  if (typeof unit !== 'string' || station === undefined) return undefined
  const found = toStationUnit(unit, station)
  return isRejection(found) ? undefined : found.conversion
}

/** Samples in the unit of their station. */
export function convertSamples(
  samples: Float64Array,
  conversion: UnitConversion | undefined,
): Float64Array {
  return conversion === undefined
    ? samples
    : samples.map((sample) => convertValue(conversion, sample))
}

/** A peak in the unit of its item. */
export function toItemUnit(value: number, unit: string, itemUnit: string): number {
  if (unit === '' || itemUnit === '') return value
  const found = findConversion(unit, itemUnit)
  return found === undefined || found === 'same' ? value : convertValue(found, value)
}
