import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Child } from '../_child.ts'
import { exchange } from './_raw.ts'
import { makeDataFolder, TOKEN, type DataFolder } from './_site.ts'
import { stallAll } from './_stalled.ts'
import { putWaveform } from '../_waveforms.ts'

const MEGABYTE = 2 ** 20
const SAMPLES = 1_000_000
const TRIGGER = { time: Date.UTC(2024, 0, 1), nanoseconds: 0 }

const requestText = (path: string, headers = ''): string =>
  `GET /api/v1/stations/1/vibration/${path}?token=${TOKEN}&collectTime=2024-01-01+00:00:00 HTTP/1.1\r\nHost: a\r\n${headers}\r\n`

let data: DataFolder

before(async () => {
  const samples = Float64Array.from({ length: SAMPLES }, (_, at) =>
    Math.fround(Math.sin(at / 10) + ((at * 7_919) % 1_000) / 2_000),
  )
  data = await makeDataFolder(async (storage) => {
    const batch = { station: 1, trigger: TRIGGER, sampleFreq: '100', unit: 'cm/s2', samples }
    await putWaveform(storage, batch, () => ({ sources: [], times: [], records: [] }))
  })
})

after(() => data[Symbol.asyncDispose]())

/** The most by which memory grows while something is done and for some seconds after it. */
async function growth(child: Child, act: () => Promise<void>): Promise<number> {
  const before = await child.memory()
  await act()
  let most = 0
  for (let attempt = 0; attempt < 10; attempt++) {
    await sleep(300)
    most = Math.max(most, (await child.memory()) - before)
  }
  return most / MEGABYTE
}

describe('clients that read nothing of a waveform', () => {
  for (const [readers, ahead, coding, megabytes] of [
    [80, 1, 'identity', 90],
    [20, 16, 'identity', 90],
    [20, 16, 'gzip', 120],
  ] as const)
    test(`${readers} of them, with ${ahead} requests of ${coding} each, cost little memory`, async (t) => {
      await using child = await startChild(data.folder, {
        PLUMBLINE_VIBRATION_CACHE_MEGABYTES: '0',
      })
      const headers = `Accept-Encoding: ${coding}\r\n`
      // The first response of a process is not measured.
      await exchange(child, requestText('raw', `${headers}Connection: close\r\n`))

      const grown = await growth(child, () =>
        stallAll(child, readers, requestText('raw', headers).repeat(ahead), t),
      )

      t.diagnostic(`${grown.toFixed(0)} MB more`)
      assert.ok(grown < megabytes, `memory grew by ${grown.toFixed(0)} MB`)
    })
})
