import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readWithPapaparse } from '../rivals/papaparse.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder } from '../servers/data-folder.ts'
import { importFile, type Import } from '../servers/import.ts'
import { stationIds } from '../site.ts'
import { median, ratio } from '../statistics.ts'
import { writeLoggerFile, type LoggerFile } from '../toa5.ts'

const VALUES_A_SECOND = 150_000

export const importFiles: Scenario = {
  title: 'Files: a TOA5 file by plumbline import, with undo, every batch synced',

  async run({ isQuick, say }) {
    const findings: Finding[] = []
    for (const way of WAYS) {
      say(way.name)
      await using folder = await makeDataFolder()
      const stations = stationIds(way.stations)
      const small = await writeLoggerFile(join(folder.path, 'small'), { megabytes: 10, stations })
      findings.push(...(await measureSmall(small, way.name, isQuick ? 2 : 5)))
      if (isQuick) continue
      const large = await writeLoggerFile(join(folder.path, 'large'), { megabytes: 200, stations })
      findings.push(...(await measureLarge(small, large, way.name)))
    }
    return findings
  },
}

const WAYS = [
  { name: '60 columns of 20 stations', stations: 20 },
  { name: '3 columns of one station', stations: 1 },
] as const

/** A new service each time: importing the same again would replace, not add. */
async function importAlone(file: LoggerFile): Promise<Import> {
  await using folder = await makeDataFolder()
  return await importFile(folder.path, file)
}

async function measureSmall(file: LoggerFile, name: string, rounds: number): Promise<Finding[]> {
  const rates: number[] = []
  const alone: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { milliseconds } = await importAlone(file)
    rates.push((file.values / milliseconds) * 1000)
    alone.push((file.values / (await readWithPapaparse(file.file, file.values))) * 1000)
  }
  const { median: value, least, greatest } = ratio(rates, alone)
  return [
    {
      what: `${name}, 10 MB, start of the program included`,
      value: median(rates),
      unit: 'values/s',
      range: [Math.min(...rates), Math.max(...rates)],
      target: { atLeast: VALUES_A_SECOND },
    },
    { what: `${name}, 10 MB: of papaparse alone, nothing stored`, value, range: [least, greatest] },
  ]
}

async function measureLarge(
  small: LoggerFile,
  large: LoggerFile,
  name: string,
): Promise<Finding[]> {
  const ofSmall = await importAlone(small)
  const ofLarge = await importAlone(large)
  const alone = await readWithPapaparse(large.file, large.values)
  await rm(large.file)
  return [
    {
      what: `${name}, 200 MB`,
      value: (large.values / ofLarge.milliseconds) * 1000,
      unit: 'values/s',
      target: { atLeast: VALUES_A_SECOND },
    },
    {
      what: `${name}, 200 MB: of papaparse alone, nothing stored`,
      value: alone / ofLarge.milliseconds,
    },
    {
      what: `${name}: memory at 200 MB, of that at 10 MB`,
      value: ofLarge.peakMegabytes / ofSmall.peakMegabytes,
      target: { atMost: 1.25 },
    },
    { what: `${name}: peak memory at 200 MB`, value: ofLarge.peakMegabytes, unit: 'MB' },
    {
      what: `${name}: CPU a value`,
      value: (ofLarge.cpuMilliseconds / large.values) * 1000,
      unit: 'µs',
    },
  ]
}
