import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readState } from '../../../service/src/demo/demo-state.ts'
import { fetchHttps } from '../load/fetch.ts'
import { residentMegabytes } from '../process-figures.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeTemporaryFolder } from '../servers/data-folder.ts'
import { issueToken, startService } from '../servers/service.ts'
import { median } from '../statistics.ts'

const REST_MILLISECONDS = 3000
const DEMO = ['--demo']

export const start: Scenario = {
  title: 'Start: serve --demo with the demo site loaded, to its first answer over HTTPS',

  async run({ isQuick, say }) {
    await using stack = new AsyncDisposableStack()
    const folder = await makeTemporaryFolder(stack)
    say('loading the demo site')
    const { ca, token } = await loadDemo(folder)

    const times: number[] = []
    const resident: number[] = []
    for (let run = 0; run < (isQuick ? 3 : 9); run++) {
      const begin = performance.now()
      await using service = await startService(folder, DEMO)
      const path = `/api/v1/structures?token=${token}`
      const { status } = await fetchHttps({ port: service.port, ca, path })
      times.push(performance.now() - begin)
      if (status !== 200) throw new Error(`the first answer is ${status}`)
      await delay(REST_MILLISECONDS)
      resident.push(residentMegabytes(service.pid))
    }
    return [
      {
        what: 'process start to first answer, median',
        value: median(times),
        unit: 'ms',
        range: rangeOf(times),
        target: { atMost: 1000 },
      },
      {
        what: 'process start to first answer, slowest',
        value: Math.max(...times),
        unit: 'ms',
        target: { atMost: 1000 },
      },
      {
        what: 'memory at rest after 3 s',
        value: Math.max(...resident),
        unit: 'MB',
        range: rangeOf(resident),
        target: { atMost: 150 },
      },
    ] satisfies Finding[]
  },
}

const rangeOf = (values: number[]): [number, number] => [Math.min(...values), Math.max(...values)]

/** The first start loads the site; its application then has a token for all the others. */
async function loadDemo(folder: string): Promise<{ ca: string; token: string }> {
  await using service = await startService(folder, DEMO)
  const ca = await readFile(join(folder, 'tls', 'certificate.pem'), 'utf8')
  const state = await readState(folder)
  if (state === undefined) throw new Error('the demo site was not loaded')
  const { application } = state
  return { ca, token: await issueToken(service, { application, ca }) }
}
