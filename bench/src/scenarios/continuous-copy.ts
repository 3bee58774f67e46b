import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadProcess } from '../load/load.ts'
import { postRequest } from '../load/requests.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder } from '../servers/data-folder.ts'
import { startService } from '../servers/service.ts'
import { median, ratio } from '../statistics.ts'
import { WAYS, type Way } from './ingest.ts'

export const continuousCopy: Scenario = {
  title: 'Ingest beside a continuous copy, which takes a piece each second',

  async run({ load, isQuick, say }) {
    const findings: Finding[] = []
    for (const way of WAYS) {
      say(way.name)
      findings.push(...(await measureWay(load, way, isQuick ? 2 : 5)))
    }
    return findings
  },
}

async function measureWay(load: LoadProcess, way: Way, rounds: number): Promise<Finding[]> {
  const { name, connections, requests, records } = way
  await using stack = new AsyncDisposableStack()
  const copy = await mkdtemp(join(tmpdir(), 'plumbline-copy-'))
  stack.defer(() => rm(copy, { recursive: true, force: true, maxRetries: 10 }))
  const start = async (settings: Record<string, string>) => {
    const folder = stack.use(await makeDataFolder())
    const service = stack.use(await startService(folder.path, [], settings))
    return { folder, target: { ...service, ca: folder.ca }, rates: [] as number[] }
  }
  const plain = await start({})
  const copied = await start({
    PLUMBLINE_BACKUP_CONTINUOUS_TO: copy,
    PLUMBLINE_BACKUP_CONTINUOUS_SECONDS: '1',
  })
  // A round before the first one that counts, for the compiler to see the code.
  for (let round = 0; round <= rounds; round++) {
    const bodies = Array.from({ length: requests }, (_, at) =>
      JSON.stringify({ records: records(round * requests + at) }),
    )
    for (const { folder, target, rates } of round % 2 === 0 ? [plain, copied] : [copied, plain]) {
      const { milliseconds } = await load.run(target, {
        connections,
        requests: bodies.map((body) => postRequest('/ingest/v1/theme', folder.ingestKey, body)),
      })
      if (round > 0) rates.push(((requests * records(0).length) / milliseconds) * 1000)
    }
  }
  const { median: value, least, greatest } = ratio(copied.rates, plain.rates)
  return [
    { what: `${name}: with the copy, of without`, value, range: [least, greatest] },
    { what: `${name}: with the copy`, value: median(copied.rates), unit: 'records/s' },
    { what: `${name}: without`, value: median(plain.rates), unit: 'records/s' },
  ]
}
