import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { absolutes, compare, type Contender } from '../compare.ts'
import { getRequest } from '../load/requests.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder } from '../servers/data-folder.ts'
import { issueToken, startService } from '../servers/service.ts'
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
      const server = stack.use(await startService(folder.path))
      const token = await issueToken(server, folder)
      return {
        name: `${showMillions(records)} records`,
        target: { ...server, ca: folder.ca },
        requests: shuffledStations().map((id) =>
          getRequest({ path: `/api/v1/stations/theme/data?stations=${id}&limit=1&token=${token}` }),
        ),
      }
    }
    const contenders = { few: await start(MILLION), many: await start(many) }
    const { few, many: lots } = await compare(load, contenders, {
      rounds: isQuick ? 3 : 9,
      milliseconds: isQuick ? 700 : 1500,
      connections: 16,
    })

    const what = `cost on ${showMillions(many)} records by that on 1 million`
    const rate = ratio(few.rates, lots.rates)
    const cpu = ratio(lots.cpuPerAnswer, few.cpuPerAnswer)
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
