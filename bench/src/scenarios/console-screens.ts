import type { Page } from 'playwright-core'
import type { Console } from '../../../console/test/_console.ts'
import type { Finding } from '../scenario.ts'
import { median, randomNumbers } from '../statistics.ts'

const DAY = 86_400_000
const YEAR_START = Date.UTC(2025, 0, 1)
/** A record every ten minutes, in as many buckets as the console asks for on a desktop. */
const BUCKETS = 1600
const RECORDS = 365 * 144

/** How long the first screen takes, without anything kept in the browser and with it. */
export async function measureFirstScreen(console: Console, rounds: number): Promise<Finding[]> {
  const cold: number[] = []
  const warm: number[] = []
  for (let round = 0; round < rounds; round++) {
    const page = await console.page({ address: '/account' })
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    const context = page.context()
    cold.push(await open(await context.newPage(), console.origin, true))
    warm.push(await open(await context.newPage(), console.origin, false))
    await context.close()
  }
  return [
    describe('first screen, nothing kept in the browser', cold, 1000),
    describe('first screen, opened before', warm, 1000),
  ]
}

/** Milliseconds from the request for the page until the overview lists structures. */
async function open(page: Page, origin: string, isCold: boolean): Promise<number> {
  await page.goto('about:blank')
  if (isCold) {
    const session = await page.context().newCDPSession(page)
    await session.send('Network.clearBrowserCache')
  }
  const begin = performance.now()
  await page.goto(`${origin}/console/#/`)
  await page
    .getByRole('link', { name: /Mukilteo/ })
    .first()
    .waitFor()
  const milliseconds = performance.now() - begin
  await page.close()
  return milliseconds
}

/** How long the chart of a year takes from the last byte of the answer until it is drawn. */
export async function measureYear(console: Console, rounds: number): Promise<Finding[]> {
  const page = await console.page({ address: '/account' })
  await page.addInitScript(NOTE_STROKES)
  const body = JSON.stringify(yearOfSeries())
  await page.route('**/manage/v1/series?*', (route) =>
    route.fulfill({ contentType: 'application/json', body }),
  )
  const taken: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.goto('about:blank')
    await page.goto(
      `${console.origin}/console/#/stations/1005?from=2025-01-01 00:00:00&to=2026-01-01 00:00:00`,
    )
    await page.locator('.u-over').waitFor()
    taken.push(await page.evaluate<number>(DRAWN_AFTER_ANSWER))
  }
  await page.context().close()
  return [describe('chart of a year, from the answer until it is drawn', taken, 100)]
}

const describe = (what: string, values: number[], atMost: number): Finding => ({
  what,
  value: median(values),
  unit: 'ms',
  range: [Math.min(...values), Math.max(...values)],
  target: { atMost },
})

/** Notes when the page has drawn a line of a chart last. */
const NOTE_STROKES = `{
  const { stroke } = CanvasRenderingContext2D.prototype
  window.strokes = []
  CanvasRenderingContext2D.prototype.stroke = function (...path) {
    stroke.apply(this, path)
    window.strokes.push(performance.now())
  }
}`

/** The end of the drawing that follows the answer: until nothing was drawn for 300 ms. */
const DRAWN_AFTER_ANSWER = `(async () => {
  const answered = () => performance.getEntriesByType('resource')
    .findLast(({ name }) => name.includes('/manage/v1/series'))?.responseEnd
  const wait = () => new Promise((resolve) => setTimeout(resolve, 50))
  while (!(window.strokes.at(-1) > answered())) await wait()
  while (performance.now() - window.strokes.at(-1) < 300) await wait()
  const end = answered()
  const after = window.strokes.filter((at) => at > end)
  // A later drawing, such as that of thresholds, is another answer's.
  const until = after.findIndex((at, index) => index > 0 && at - after[index - 1] > 200)
  return after.at(until === -1 ? -1 : until - 1) - end
})()`

/** Summaries of a year, since the demo site has no station with one. */
function yearOfSeries() {
  const random = randomNumbers(2)
  const times: string[] = []
  const item = {
    name: 'Temperature',
    unit: '°C',
    minimum: [] as number[],
    mean: [] as number[],
    maximum: [] as number[],
    count: [] as number[],
  }
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const at = YEAR_START + (bucket / BUCKETS) * 365 * DAY
    times.push(new Date(at).toISOString().slice(0, 19).replace('T', ' '))
    const mean = 10 + 12 * Math.sin((bucket / BUCKETS) * 2 * Math.PI) + random()
    item.minimum.push(mean - 4 * random())
    item.mean.push(mean)
    item.maximum.push(mean + 4 * random())
    item.count.push(Math.round(RECORDS / BUCKETS))
  }
  const station = {
    id: 1005,
    name: 'Air temperature',
    width: 1,
    times,
    items: { temperature: item },
  }
  return { points: BUCKETS, stations: [station] }
}
