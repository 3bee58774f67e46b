import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { absolutes, compare, type Contender, type Rounds } from '../compare.ts'
import { getRequest } from '../load/requests.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { startReadable } from '../servers/service.ts'
import { STATION_COUNT, stationIds } from '../site.ts'
import { randomNumbers, ratio } from '../statistics.ts'

const MILLION = 1_000_000
const BYTES_A_RECORD = 100

export const newestRecord: Scenario = {
  title: 'The newest record of one station, limit=1; 16 connections',

  async run({ load, isQuick, isHuge, say }) {
    const many = isHuge ? 100 * MILLION : isQuick ? 2 * MILLION : 10 * MILLION
    await requireSpace(many * BYTES_A_RECORD)
    await using stack = new AsyncDisposableStack()
    const start = async (records: number): Promise<Contender> => {
      say(`filling ${showMillions(records)} records`)
      const folder = stack.use(
        await makeDataFolder([{ stations: stationIds(), records: records / STATION_COUNT }]),
      )
      return await newestContender(`${showMillions(records)} records`, folder, stack)
    }
    const contenders = { few: await start(MILLION), many: await start(many) }
    const { few, many: lots } = await compare(load, contenders, newestRounds(isQuick))

    const what = `cost on ${showMillions(many)} records by that on 1 million`
    const rate = ratio(few.rates, lots.rates)
    const cpu = ratio(lots.cpuPerResponse, few.cpuPerResponse)
    const target = { atMost: 1.3 }
    return [
      {
        what: `${what}, requests/s`,
        value: rate.median,
        range: [rate.least, rate.greatest],
        target,
      },
      { what: `${what}, CPU`, value: cpu.median, range: [cpu.least, cpu.greatest], target },
      ...absolutes(contenders.few.name, few),
      ...absolutes(contenders.many.name, lots),
    ] satisfies Finding[]
  },
}

export const newestRounds = (isQuick: boolean): Rounds => ({
  rounds: isQuick ? 2 : 9,
  milliseconds: isQuick ? 700 : 1500,
  connections: 16,
})

/** A service on a folder, and requests for the newest record of every station. */
export async function newestContender(
  name: string,
  folder: DataFolder,
  stack: AsyncDisposableStack,
): Promise<Contender> {
  const { token, ...target } = stack.use(await startReadable(folder))
  const requests = shuffledStations().map((id) =>
    getRequest({ path: `/api/v1/stations/theme/data?stations=${id}&limit=1&token=${token}` }),
  )
  return { name, target, requests }
}

const showMillions = (records: number): string => `${records / MILLION} million`

function shuffledStations(): number[] {
  const random = randomNumbers(5)
  return stationIds()
    .map((id) => ({ id, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ id }) => id)
}

async function requireSpace(bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir())
  if (bavail * bsize < bytes * 1.3)
    throw new Error(`this needs ${Math.ceil((bytes * 1.3) / 2 ** 30)} GB of temporary space`)
}
