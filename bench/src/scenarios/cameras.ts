import { fork } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fetchHttps } from '../load/fetch.ts'
import type { ViewersJob, ViewersReport } from '../load/viewers.ts'
import { nextMessage } from '../messages.ts'
import {
  cpuMilliseconds,
  forgetPeak,
  peakMegabytes,
  residentMegabytes,
} from '../process-figures.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { keep, stop } from '../servers/child.ts'
import { makeDataFolder } from '../servers/data-folder.ts'
import { startHttpCamera } from '../servers/http-camera.ts'
import { issueToken, startService } from '../servers/service.ts'
import { SITE } from '../site.ts'

const VIEWERS = 100
const GRANTS = 50
const GRANT_SECONDS = 30

export const cameras: Scenario = {
  title:
    'Cameras: one with 1080p H.264 at 4 Mbit/s, copied; a hundred viewers; the end of addresses',

  async run({ isQuick, say }) {
    const seconds = isQuick ? 10 : 40
    await using folder = await makeDataFolder()
    say('making a clip')
    await using camera = await startHttpCamera(join(folder.path, 'clip.ts'), {
      seconds: seconds * 4 + 120,
      megabits: 4,
    })
    await declareCamera(folder.path, camera.source)
    await using service = await startService(folder.path, [], {
      PLUMBLINE_CAMERAS_HOSTS: '127.0.0.1',
    })
    const target = { port: service.port, ca: folder.ca }
    const token = await issueToken(service, folder)
    const address = (expireTime = 3600) => askAddress(target, token, expireTime)

    const idle = await cpuOf(service.pid, seconds)
    const path = await address()
    const first = await firstSegment(target, path)
    const again = await firstSegment(target, await address())
    say('one viewer')
    const watching = watch({ ...target, path, viewers: 1, milliseconds: seconds * 1000 })
    await delay(2000)
    const copied = await cpuOf(service.pid, seconds - 4)
    await watching
    say(`${VIEWERS} viewers`)
    const before = residentMegabytes(service.pid)
    forgetPeak(service.pid)
    const report = await watch({ ...target, path, viewers: VIEWERS, milliseconds: seconds * 1000 })
    const growth = peakMegabytes(service.pid) - before
    if (report.failures > 0) throw new Error(`${report.failures} requests of viewers failed`)
    const times = report.segmentMilliseconds.toSorted((one, other) => one - other)
    say(`the end of ${GRANTS} addresses`)
    const late = await endOfAddresses(target, () => address(GRANT_SECONDS))
    return [
      {
        what: 'from the request to the first segment, ffmpeg started',
        value: first,
        unit: 'ms',
        target: { atMost: 6000 },
      },
      {
        what: 'from the request to the first segment, ffmpeg running',
        value: again,
        unit: 'ms',
        target: { atMost: 1000 },
      },
      {
        what: 'service and ffmpeg for one camera, beyond the service at rest',
        value: (copied.service + copied.ffmpeg - idle.service) * 100,
        unit: '% of a core',
        target: { atMost: 5 },
      },
      { what: 'of these, ffmpeg', value: copied.ffmpeg * 100, unit: '% of a core' },
      { what: `${VIEWERS} viewers: a segment, median`, value: quantile(times, 0.5), unit: 'ms' },
      {
        what: `${VIEWERS} viewers: a segment, 99th percentile`,
        value: quantile(times, 0.99),
        unit: 'ms',
        target: { atMost: 50 },
      },
      {
        what: `${VIEWERS} viewers: all segments`,
        value: report.bytes / 125_000 / seconds,
        unit: 'Mbit/s',
      },
      {
        what: `${VIEWERS} viewers: growth of the service's memory`,
        value: growth,
        unit: 'MB',
        target: { atMost: 30 },
      },
      {
        what: `${GRANTS} addresses: refused after their end, slowest`,
        value: Math.max(...late),
        unit: 'ms',
        target: { atMost: 1000 },
      },
      {
        what: `${GRANTS} addresses: refused before their end`,
        value: late.filter((one) => one < 0).length,
        target: { atMost: 0 },
      },
    ] satisfies Finding[]
  },
}

type Target = { port: number; ca: string }

/** Adds the camera to the site by the command line, as an operator does. */
async function declareCamera(dataFolder: string, source: string): Promise<void> {
  const { openSqlite } = await import('../../../service/src/storage/sqlite/open.ts')
  const { applySite } = await import('../../../service/src/site/apply/apply.ts')
  const site = SITE.replace(
    '    devices:',
    `    cameras: [{ id: 1, location: Pylon, serialNo: C1, type: dome, source: '${source}' }]\n    devices:`,
  )
  await using storage = await openSqlite(dataFolder)
  await applySite(storage, { text: site, fileName: 'site.yaml' })
}

async function askAddress(target: Target, token: string, expireTime: number): Promise<string> {
  const { status, body } = await fetchHttps({
    ...target,
    method: 'POST',
    path: `/api/v1/camera/info?token=${token}`,
    headers: { 'content-type': 'application/json' },
    content: JSON.stringify({ serialNo: 'C1', protocol: 'hls', expireTime }),
  })
  if (status !== 200) throw new Error(body.toString())
  return new URL((JSON.parse(body.toString()) as { data: { hls_url: string } }).data.hls_url)
    .pathname
}

/** Milliseconds until a player has the playlist and its first segment. */
async function firstSegment(target: Target, path: string): Promise<number> {
  const begin = performance.now()
  const playlist = await fetchHttps({ ...target, path })
  const [, name] = /^(\d+\.ts)$/m.exec(playlist.body.toString()) ?? []
  if (name === undefined) throw new Error(playlist.body.toString())
  await fetchHttps({ ...target, path: path.replace('index.m3u8', name) })
  return performance.now() - begin
}

/** The cores that the service and its ffmpeg take for some seconds. */
async function cpuOf(pid: number, seconds: number): Promise<{ service: number; ffmpeg: number }> {
  const children = childrenOf(pid)
  const read = () => ({
    service: cpuMilliseconds(pid),
    ffmpeg: children.reduce((sum, child) => sum + cpuMilliseconds(child), 0),
  })
  const before = read()
  await delay(seconds * 1000)
  const after = read()
  return {
    service: (after.service - before.service) / seconds / 1000,
    ffmpeg: (after.ffmpeg - before.ffmpeg) / seconds / 1000,
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number),
  )
}

async function watch(job: ViewersJob): Promise<ViewersReport> {
  const child = fork(fileURLToPath(new URL('../load/viewers.ts', import.meta.url)), {
    serialization: 'advanced',
  })
  keep(child)
  child.send(job)
  const report = await nextMessage<ViewersReport>(child)
  await stop(child)
  return report
}

/** For each of many addresses, milliseconds from its end to its first refusal; negative: refused early. */
async function endOfAddresses(target: Target, ask: () => Promise<string>): Promise<number[]> {
  return Promise.all(
    Array.from({ length: GRANTS }, async (_, at) => {
      await delay(at * 37)
      const path = await ask()
      const [, , grant = ''] = path.split('/')
      const end = Number(grant.split('.')[2]) * 1000
      for (;;) {
        const asked = Date.now()
        const { status } = await fetchHttps({ ...target, path })
        if (status === 403) return asked < end && Date.now() < end ? asked - end : Date.now() - end
        // Often near the end, seldom before.
        await delay(Date.now() < end - 1500 ? 1000 : 20)
      }
    }),
  )
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
