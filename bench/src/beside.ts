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

/** The throughput of the loaded site by that of the plain one, round by round, and the CPU. */
export async function measureBeside(
  load: LoadProcess,
  { path, connections, requests, records }: Way,
  sites: Sites,
  rounds: number,
): Promise<{ rate: Ratio; cpu: Ratio }> {
  const size = records(0).length
  await using plainFolder = await makeDataFolder([], sites.plain)
  await using loadedFolder = await makeDataFolder([], sites.loaded)
  await using plain = await startService(plainFolder.path)
  await using loaded = await startService(loadedFolder.path)
  const contenders = [
    contender({ ...plain, ca: plainFolder.ca }),
    contender({ ...loaded, ca: loadedFolder.ca }),
  ] as const
  // A round before the first one that counts, for the compiler to see the code.
  for (let round = 0; round <= rounds; round++) {
    const bodies = Array.from({ length: requests }, (_, at) =>
      JSON.stringify({ records: records(round * requests + at) }),
    )
    for (const one of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const result = await load.run(one.target, {
        connections,
        requests: bodies.map((body) =>
          postRequest(`/ingest/v1/${path}`, plainFolder.ingestKey, body),
        ),
        expectedBody: JSON.stringify({ accepted: size, replaced: 0, rejected: [] }),
      })
      if (round === 0) continue
      one.rates.push(((requests * size) / result.milliseconds) * 1000)
      one.cpu.push((result.serverCpuMilliseconds / requests / size) * 1000)
    }
  }
  return {
    rate: ratio(contenders[1].rates, contenders[0].rates),
    cpu: ratio(contenders[1].cpu, contenders[0].cpu),
  }
}

const contender = (target: Target) => ({ target, rates: [] as number[], cpu: [] as number[] })
