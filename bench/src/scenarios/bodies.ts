import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fetchHttps } from '../load/fetch.ts'
import type { Target } from '../load/load.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { issueToken, startService } from '../servers/service.ts'
import { FIRST_INSTANT, sensorId, siteText } from '../site.ts'
import { worstBodies, type WorstBody } from './worst-bodies.ts'

const PROBE = fileURLToPath(new URL('../servers/hold-probe.js', import.meta.url))

const SENSOR = sensorId(1)

const BODIES_SITE = `${siteText({
  factor: 'Displacement',
  items: [`{ id: 1, key: v, name: Value, unit: mm, precision: 0.01 }`],
  stations: [
    `{ id: 1, name: Ready, portrait: '', labels: [] }`,
    `{ id: 2, name: Derived, portrait: '', labels: [], from: { sensors: [${SENSOR}], conversion: { kind: linear, k: 1, v0: 0, c: 0 } } }`,
    `{ id: 3, name: Watched, portrait: '', labels: [] }`,
  ],
  devices: [
    `{ id: ${SENSOR}, name: Sensor, kind: sensor, items: [{ key: v, name: Value, unit: mm }] }`,
  ],
})}        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11
            stations: [3]
            clearAfter: 1
            items:
              - { item: v, config: [{ thresholds: [{ level: 1, value: '(300,+)' }] }] }
`

export const bodies: Scenario = {
  title: 'Worst accepted bodies: how long each holds the main thread',

  async run({ isQuick, say }: Bench): Promise<Finding[]> {
    await using folder = await makeDataFolder([], BODIES_SITE)
    const file = join(folder.path, 'held.json')
    await using server = await startService(folder.path, [], {
      NODE_OPTIONS: `--import=${PROBE}`,
      BENCH_HOLD_FILE: file,
      PLUMBLINE_HTTP_REQUEST_TIMEOUT_SECONDS: '60',
    })
    const target = { ...server, ca: folder.ca }
    const token = await issueToken(server, folder)
    const findings: Finding[] = []
    for (const body of worstBodies({
      token,
      sensor: SENSOR,
      firstInstant: FIRST_INSTANT,
      isQuick,
    })) {
      say(body.name)
      await send(target, folder, body)
      await readHeld(server.pid, file)
      const status = await send(target, folder, body)
      const held = await readHeld(server.pid, file)
      const what = `${body.name}, answered ${status}`
      findings.push(
        {
          what: `${what}: processor time at once`,
          value: held.cpu,
          unit: 'ms',
          target: { atMost: 50 },
        },
        { what: `${what}: on the wall`, value: held.wall, unit: 'ms' },
      )
    }
    return findings.toSorted(
      (a, b) => Number(b.target !== undefined) - Number(a.target !== undefined),
    )
  },
}

async function send(target: Target, folder: DataFolder, body: WorstBody): Promise<number> {
  const { appId, appSecret } = folder.application
  const authorization = body.isForm
    ? `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`
    : `Bearer ${folder.ingestKey}`
  const { status } = await fetchHttps({
    ...target,
    path: body.path,
    method: 'POST',
    headers: {
      'content-type': body.type,
      ...(body.path.includes('token=') ? {} : { authorization }),
    },
    content: body.content(),
  })
  return status
}

/** How long the main thread was held at most since it was asked last. */
async function readHeld(pid: number, file: string): Promise<{ cpu: number; wall: number }> {
  await delay(100)
  await rm(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(file)) await delay(20)
  await delay(20)
  return JSON.parse(await readFile(file, 'utf8')) as { cpu: number; wall: number }
}
