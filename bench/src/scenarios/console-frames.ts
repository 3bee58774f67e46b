import type { Page } from 'playwright-core'
import { Console } from '../../../console/test/_console.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { median, randomNumbers } from '../statistics.ts'
import { measureFirstScreen, measureYear } from './console-screens.ts'

const POINTS = 1_000_000
const SAMPLE_HZ = 1000
const STATION = 3007
/** A frame of sixty a second, and what clocks of browsers are rounded to. */
const FRAME_MILLISECONDS = 16.7
const SIZES = { desktop: '1440 x 900', wall: '2560 x 1440' } as const

/** Of one frame each: since the one before, and what the main thread did in it. */
type Frames = { intervals: number[]; work: number[] }

export const consoleFrames: Scenario = {
  title:
    'Console in Chromium: first screen, chart of a year, frames while panning 1,000,000 points',

  async run({ isQuick, say }) {
    await using console = await Console.open()
    const rounds = isQuick ? 3 : 9
    say('first screen')
    const findings = await measureFirstScreen(console, rounds)
    say('chart of a year')
    findings.push(...(await measureYear(console, rounds)))
    for (const size of ['desktop', 'wall'] as const) {
      say(`panning on ${SIZES[size]}`)
      const page = await console.page({ size })
      await serveWaveform(page)
      await page.goto(
        `${console.origin}/console/#/structures/103/vibration?station=${STATION}&tab=waveform`,
      )
      await page.getByRole('slider').waitFor({ timeout: 60_000 })
      for (const shown of [POINTS / 2, 2000]) {
        const frames = await page.evaluate<Frames>(panning(shown, isQuick ? 120 : 600))
        findings.push(...describe(frames, `${SIZES[size]}, ${shown.toLocaleString('en')} shown`))
      }
      await page.context().close()
    }
    return findings
  },
}

const range = (values: number[]): [number, number] => [Math.min(...values), Math.max(...values)]

function describe({ intervals, work }: Frames, where: string): Finding[] {
  const late = intervals.filter((one) => one > 1.5 * FRAME_MILLISECONDS).length
  return [
    {
      what: `frame to frame, median (${where})`,
      value: median(intervals),
      unit: 'ms',
      range: range(intervals),
      target: { atMost: FRAME_MILLISECONDS + 0.1 },
    },
    {
      what: `main thread in a frame, median (${where})`,
      value: median(work),
      unit: 'ms',
      range: range(work),
      target: { atMost: FRAME_MILLISECONDS },
    },
    { what: `late frames (${where})`, value: (100 * late) / intervals.length, unit: '%' },
  ]
}

/** What drags the plot by 3 pixels a frame, forth and back, while so many points are shown. */
const panning = (shown: number, frames: number): string => `(async () => {
  const plot = document.querySelector('[role=slider]')
  const { left, top, width } = plot.getBoundingClientRect()
  const place = (x) => ({ clientX: left + x, clientY: top + 50, bubbles: true, cancelable: true })
  const send = (type, x) =>
    plot.dispatchEvent(new PointerEvent(type, { ...place(x), pointerId: 1, button: 0 }))
  const frame = () => new Promise(requestAnimationFrame)
  const afterFrame = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = resolve
    port2.postMessage(0)
  })
  plot.setPointerCapture = () => {}
  const press = (key) => plot.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  press('0')
  const deltaY = Math.log(${shown} / ${POINTS}) / 0.0015
  plot.dispatchEvent(new WheelEvent('wheel', { ...place(width / 2), deltaY }))
  press('Escape')
  await frame()
  let x = width / 2
  send('pointerdown', x)
  const found = { intervals: [], work: [] }
  const before = plot.getAttribute('aria-valuetext')
  let last = await frame()
  for (let at = 0; at < ${frames}; at++) {
    const begin = performance.now()
    x += at % 100 < 50 ? 3 : -3
    send('pointermove', x)
    await afterFrame()
    found.work.push(performance.now() - begin)
    const now = await frame()
    found.intervals.push(now - last)
    last = now
    if (at === 10 && plot.getAttribute('aria-valuetext') === before) throw new Error('nothing moves')
  }
  send('pointerup', x)
  return found
})()`

/** Answers with a long batch, since the demo site has none. */
async function serveWaveform(page: Page): Promise<void> {
  const batch = {
    id: 1,
    collectTime: '2026-01-01 00:00:00',
    trigger: '2026-01-01T08:00:00.000Z',
    unit: 'cm/s2',
    sampleFreq: String(SAMPLE_HZ),
    count: POINTS,
  }
  const random = randomNumbers(1)
  const data = Array.from({ length: POINTS }, (_, at) => ({
    value: (Math.sin(at / 90) * Math.sin(at / 70_000) + random() - 0.5).toFixed(5),
    time: String(at + 1),
  }))
  const config = { unit: batch.unit, sampleFreq: batch.sampleFreq, count: POINTS }
  const body = JSON.stringify({ config, data })
  await page.route('**/vibration/batches?*', (route) => route.fulfill({ json: [batch] }))
  await page.route('**/vibration/raw?*', (route) =>
    route.fulfill({ contentType: 'application/json', body }),
  )
}
