import type { LoadProcess, Target } from './load/load.ts'
import { postRequest } from './load/requests.ts'
import { makeDataFolder } from './servers/data-folder.ts'
import { startService } from './servers/service.ts'
import { ratio, type Ratio } from './statistics.ts'

/** Records that come in at one site and at another, which differ in what is made of them. */
export type Way = {
  /** Below `/ingest/v1`. */
  path: string
  connections: number
  requests: number
  records(number: number): readonly unknown[]
}

export type Sites = { plain: string; loaded: string }

/** The throughput and the CPU of a site by those of another. */
export type Shares = { rate: Ratio; cpu: Ratio }

/** The loaded site's by the plain one's, and by those where clients send what it makes itself. */
export type Beside = Shares & { sent?: Shares }

/**
 * The throughput of the loaded site by that of the plain one, round by round, and the CPU.
 *
 * With `sent` also by the throughput of the plain site where clients send that too, path and
 * records, which the loaded one makes by itself.
 */
export async function measureBeside(
  load: LoadProcess,
  way: Way,
  sites: Sites,
  rounds: number,
  sent?: Pick<Way, 'path' | 'records'>,
): Promise<Beside> {
  const { connections, requests } = way
  const size = way.records(0).length
  await using plainFolder = await makeDataFolder([], sites.plain)
  await using loadedFolder = await makeDataFolder([], sites.loaded)
  await using plain = await startService(plainFolder.path)
  await using loaded = await startService(loadedFolder.path)
  const plainOne = contender({ ...plain, ca: plainFolder.ca }, [way])
  const loadedOne = contender({ ...loaded, ca: loadedFolder.ca }, [way])
  const contenders = [plainOne, loadedOne]
  await using stack = new AsyncDisposableStack()
  let sentOne: Contender | undefined
  if (sent !== undefined) {
    const folder = stack.use(await makeDataFolder([], sites.plain))
    const server = stack.use(await startService(folder.path))
    sentOne = contender({ ...server, ca: folder.ca }, [way, sent])
    contenders.push(sentOne)
  }
  // A round before the first one that counts, for the compiler to see the code.
  for (let round = 0; round <= rounds; round++)
    for (const one of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const bodies = Array.from({ length: requests }, (_, at) => round * requests + at).flatMap(
        (number) =>
          one.ways.map(({ path, records }) =>
            postRequest(
              `/ingest/v1/${path}`,
              plainFolder.ingestKey,
              JSON.stringify({ records: records(number) }),
            ),
          ),
      )
      const result = await load.run(one.target, {
        connections,
        requests: bodies,
        expectedBody: JSON.stringify({ accepted: size, replaced: 0, rejected: [] }),
      })
      if (round === 0) continue
      one.rates.push(((requests * size) / result.milliseconds) * 1000)
      one.cpu.push((result.serverCpuMilliseconds / requests / size) * 1000)
    }
  const beside = (other: Contender) => ({
    rate: ratio(loadedOne.rates, other.rates),
    cpu: ratio(loadedOne.cpu, other.cpu),
  })
  return { ...beside(plainOne), ...(sentOne === undefined ? {} : { sent: beside(sentOne) }) }
}

type Contender = {
  target: Target
  ways: readonly Pick<Way, 'path' | 'records'>[]
  rates: number[]
  cpu: number[]
}

const contender = (target: Target, ways: Contender['ways']): Contender => ({
  target,
  ways,
  rates: [],
  cpu: [],
})
