import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  airPressure,
  airTemperatureCr1000,
  airTemperatureCr200,
  MARINE_VIEW_PIEZOMETERS,
  millimetresOfRain,
  soilWaterContent,
  tensiometerPressure,
  tensiometerTemperature,
  waterLevel,
} from './mukilteo-sensors.ts'
import { readRain, type RainReading, rainfallThreshold } from './mukilteo-rain.ts'
import { parseNumber, round, type ThemeRecord } from './records.ts'

/** One logger row: local standard time and the columns as numbers, counted from 0 as in the file. */
type LoggerRow = { time: string; columns: number[] }

/** A station whose values come from one row; columns as the USGS plotting scripts number them. */
type Station = { id: number; values: (columns: number[]) => Record<string, number> }

const MARINE_VIEW_RAIN = 2101
const MARINE_VIEW_THRESHOLD = 2102
const MARINE_VIEW_RAIN_COLUMN = 5
const WATERTON_AIR_PRESSURE_COLUMN = 5

const MARINE_VIEW: readonly Station[] = [
  ...soilStations(2100, 6),
  one(2103, 4, 'temperature', airTemperatureCr1000, 2),
  piezometer(2151, 17, 18),
  piezometer(2152, 19, 20),
  one(2161, 2, 'voltage', asLogged, 5),
  one(2162, 3, 'raw', asLogged, 5),
]

const WATERTON: readonly Station[] = [
  one(2201, 6, 'rainfall', millimetresOfRain, 3),
  one(2203, 4, 'temperature', airTemperatureCr1000, 2),
  one(2204, WATERTON_AIR_PRESSURE_COLUMN, 'pressure', airPressure, 3),
  ...soilStations(2200, 7),
  piezometer(2251, 18, 19),
  piezometer(2252, 20, 21),
  one(2261, 2, 'voltage', asLogged, 5),
  one(2262, 3, 'raw', asLogged, 5),
]

const LIGHTHOUSE_PARK: readonly Station[] = [
  one(2301, 3, 'rainfall', millimetresOfRain, 3),
  one(2303, 4, 'temperature', airTemperatureCr200, 2),
  one(2361, 2, 'voltage', asLogged, 5),
]

export function readMukilteoSlope(folder: string): ThemeRecord[] {
  const marineView = readLogger(join(folder, 'waMVD116_14d.txt'), 21)
  const waterton = readLogger(join(folder, 'waWatertonA_14d.txt'), 22)
  const lighthousePark = readLogger(join(folder, 'waMLP_14d.txt'), 5)
  const rain = readRain(join(folder, 'waMVD116_rain.txt'))
  compareRain(rain, marineView)

  const records = [
    ...rain.standardTime.map(({ time, tips }) => ({
      station: MARINE_VIEW_RAIN,
      time,
      values: { rainfall: round(millimetresOfRain(tips), 3) },
    })),
    ...rainfallThreshold(rain).map(({ time, ...values }) => ({
      station: MARINE_VIEW_THRESHOLD,
      time,
      values,
    })),
    ...fromRows(MARINE_VIEW, marineView),
    ...marineViewWaterLevels(marineView, waterton),
    ...fromRows(WATERTON, waterton),
    ...fromRows(LIGHTHOUSE_PARK, lighthousePark),
  ]
  return records.toSorted((a, b) => a.station - b.station)
}

function readLogger(path: string, columnCount: number): LoggerRow[] {
  const lines = readFileSync(path, 'latin1').trimEnd().split(/\r?\n/)
  return lines.map((line) => {
    const fields = line.split('\t')
    if (fields.length !== columnCount) throw new Error(`${path}: ${fields.length} columns`)
    return { time: fields[0] ?? '', columns: fields.slice(1).map(parseNumber) }
  })
}

function fromRows(stations: readonly Station[], rows: readonly LoggerRow[]): ThemeRecord[] {
  return stations.flatMap(({ id, values }) =>
    rows.map(({ time, columns }) => ({ station: id, time, values: values(columns) })),
  )
}

/** Air pressure is measured at Waterton Circle only; the scripts use it for both slopes. */
function marineViewWaterLevels(
  marineView: readonly LoggerRow[],
  waterton: readonly LoggerRow[],
): ThemeRecord[] {
  const pressures = new Map(
    waterton.map(({ time, columns }) => [
      time,
      airPressure(at(columns, WATERTON_AIR_PRESSURE_COLUMN)),
    ]),
  )
  return MARINE_VIEW_PIEZOMETERS.flatMap((sensor, index) =>
    marineView.flatMap(({ time, columns }) => {
      const pressure = pressures.get(time)
      if (pressure === undefined) return []
      const level = waterLevel(sensor, {
        hertz: at(columns, 17 + 2 * index),
        ohms: at(columns, 18 + 2 * index),
        airPressure: pressure,
      })
      return { station: 2141 + index, time, values: { waterLevel: round(level, 4) } }
    }),
  )
}

/** The long rain file and the logger file hold the same tips: one in inches, one as a count. */
function compareRain(rain: { all: RainReading[] }, rows: readonly LoggerRow[]): void {
  const tips = new Map(rain.all.map((reading) => [reading.time, reading.tips]))
  for (const { time, columns } of rows) {
    if (tips.get(time) !== at(columns, MARINE_VIEW_RAIN_COLUMN)) {
      throw new Error(`the two rain counts differ at ${time}`)
    }
  }
}

function soilStations(base: number, firstColumn: number): Station[] {
  return [
    ...[1, 2, 3, 4, 5].map((n) =>
      one(base + 10 + n, firstColumn - 1 + n, 'waterContent', soilWaterContent, 5),
    ),
    ...[1, 2, 3].map((n) =>
      one(base + 20 + n, firstColumn + 4 + n, 'pressure', tensiometerPressure, 1),
    ),
    ...[1, 2, 3].map((n) =>
      one(base + 30 + n, firstColumn + 7 + n, 'temperature', tensiometerTemperature, 3),
    ),
  ]
}

function one(
  id: number,
  column: number,
  key: string,
  convert: (raw: number) => number,
  digits: number,
): Station {
  return { id, values: (columns) => ({ [key]: round(convert(at(columns, column)), digits) }) }
}

function piezometer(id: number, frequency: number, resistance: number): Station {
  return {
    id,
    values: (columns) => ({
      frequency: at(columns, frequency),
      resistance: at(columns, resistance),
    }),
  }
}

/** A column by the number it has in the file, where column 0 is the time. */
function at(columns: readonly number[], column: number): number {
  const value = columns[column - 1]
  if (value === undefined) throw new Error(`no column ${column}`)
  return value
}

function asLogged(value: number): number {
  return value
}
