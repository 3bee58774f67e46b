import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { call, enterReading } from './_alarms.ts'
import { useConsole } from './_console.ts'

const getConsole = useConsole({ mayHave: /status of 500/ })
const WEEK = 'from=2015-12-20 00:00:00&to=2015-12-27 00:00:00'
const MINUTE = 'from=2022-04-11 08:36:24&to=2022-04-11 08:37:24'

/** The chart has drawn what the legend names. */
async function drawn(page: Page, text: RegExp | string): Promise<void> {
  await page
    .getByRole('list', { name: /Lines of the chart|图表中的线/ })
    .getByText(text)
    .first()
    .waitFor()
  await page.locator('.u-over').waitFor()
}

test('a station opens with its newest records, each with its value', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/stations/1001' })

  await drawn(page, 'DMS_AS')

  await page.getByRole('cell', { name: '2022-04-11 08:48:24' }).waitFor()
  // The first record is of 08:36:24, and little room is left before it.
  assert.match(
    await page.getByRole('textbox', { name: 'From' }).inputValue(),
    /^2022-04-11 08:36:[01]/,
  )
  await console.check(page)
  await console.screenshot(page, 'station')
})

test('a chart of the newest records follows them, and one of another time stays', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/stations/1005' })
  await drawn(page, 'Air temperature')
  const other = await console.page({ address: `/stations/1005?${MINUTE}` })
  await drawn(other, 'Air temperature')

  const change = await enterReading(page, { station: 1005, values: { temperature: 3.5 } })
  await page.getByRole('cell', { name: '3.5' }).waitFor()
  assert.doesNotMatch(page.url(), /from=/)
  assert.match(other.url(), /from=2022-04-11/)
  await other.getByRole('cell', { name: '2022-04-11 08:37:20' }).waitFor()
  await call(page, 'POST', `/manage/v1/changes/${change}/undo`, {})
})

test('stations of two units have an axis each, in dark and in Chinese', async () => {
  const console = getConsole()
  const page = await console.page({
    address: `/stations/1001,1005?${MINUTE}`,
    language: 'zh',
    theme: 'dark',
  })

  await drawn(page, 'Air temperature')

  await page.getByText('右轴').waitFor()
  await page.getByRole('columnheader', { name: /°C/ }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'station-two-zh-dark')
})

test('dragging across the chart zooms, and the address can be sent to a colleague', async () => {
  const console = getConsole()
  const page = await console.page({ address: `/stations/1001?${MINUTE}` })
  await drawn(page, 'DMS_AS')
  const box = (await page.locator('.u-over').boundingBox())!

  await page.mouse.move(box.x + box.width * 0.25, box.y + 50)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 4 })
  await page.mouse.up()

  await page.waitForURL(/from=2022-04-11\+08:36:3[89].*to=2022-04-11\+08:36:5[45]/)
  await page.getByRole('cell', { name: '2022-04-11 08:36:45' }).waitFor()
  await page.getByRole('cell', { name: '2022-04-11 08:37:00' }).waitFor({ state: 'detached' })
})

test('a value is explained', async () => {
  const console = getConsole()
  const page = await console.page({ address: `/stations/1001?${MINUTE}` })

  await page.getByRole('button', { name: 'Explain' }).first().click()

  await page.getByText('The value arrived as it is', { exact: false }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'station-explain')
})

test('what is shown is exported as a table and as a picture', async () => {
  const console = getConsole()
  const page = await console.page({ address: `/stations/1001?${MINUTE}` })
  await page.getByRole('cell', { name: '2022-04-11 08:37:24' }).waitFor()

  const files = []
  for (const name of [/CSV/, /PNG/]) {
    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name }).click(),
    ])
    files.push(await readFile(await download.path()))
  }

  const [csv, png] = files
  assert.match(
    csv!.toString(),
    /^\uFEFFTime,DMS_AS \(µm\/m\)\r\n2022-04-11 08:36:24,-478\.4297\r\n/,
  )
  assert.equal(csv!.toString().trim().split('\r\n').length, 62)
  assert.equal(png!.toString('latin1', 1, 4), 'PNG')
})

test('thresholds are bands over a year of summaries', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/stations/2102', size: 'wall' })
  await drawn(page, /Exceedance/)
  await page.getByRole('button', { name: 'All' }).click()
  await page.getByText(/values in this time/).waitFor()
  await console.screenshot(page, 'station-year-wall')
})

test('alarms of the station are marks, and a list', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/stations/2102?tab=alarms' })
  await drawn(page, /Exceedance/)
  await console.screenshot(page, 'station-alarms')
})

test('a group over depth has a profile', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/stations/2111?tab=profile' })

  await page.getByRole('img', { name: /curves over position/ }).waitFor()

  await page.getByText('Depth cm').waitFor()
  await console.check(page)
  await console.screenshot(page, 'station-profile')
})

test('a group without positions is said to have no profile', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/stations/2102?tab=profile' })

  await page.getByText('No profile').waitFor()
})

test('an extreme value of a summary is seen where it lasts for a moment only', async () => {
  const console = getConsole()
  const page = await console.page()
  const start = Date.UTC(2015, 10, 1)
  const timeOf = (at: number): string =>
    new Date(start + at * 60_000).toISOString().replace('T', ' ').slice(0, 19)
  const rainfall = {
    name: 'Rainfall',
    unit: 'mm',
    minimum: flatBut(100),
    mean: flatBut(150),
    maximum: flatBut(500),
  }
  await page.route('**/manage/v1/series?*', async (route) => {
    const answer = await (await route.fetch()).json()
    const times = Array.from({ length: 1000 }, (_, at) => timeOf(at))
    const [station] = answer.stations
    const count = flatBut(100)
    const stations = [{ ...station, times, items: { rainfall: { ...rainfall, count } } }]
    await route.fulfill({ json: { ...answer, stations } })
  })

  const window = `from=${timeOf(0)}&to=${timeOf(999)}`
  await page.goto(`${console.origin}/console/#/stations/2101?${window}`)
  await drawn(page, 'Rain gauge')

  const share = await page.locator('canvas').evaluate(inkedShare)
  assert.ok(share > 0.6, `ink in ${share} of the height`)
  await page.locator('.u-over').hover({ position: { x: await middleOf(page), y: 40 } })
  await page.getByText('150.000 mm').waitFor()
  await page.getByText('100.000 to 500.000').waitFor()
  await console.screenshot(page, 'station-extreme')

  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /CSV/ }).click(),
  ])
  const rows = (await readFile(await download.path(), 'utf8')).split('\r\n')
  assert.match(rows[0]!, /^\uFEFFStart of the summary,"Rain gauge[^"]+, mean \(mm\)","/)
  assert.equal(rows[501], '2015-11-01 08:20:00,150,100,500')
})

/** Where the middle of a chart is, in pixels of CSS. */
const middleOf = async (page: Page): Promise<number> =>
  ((await page.locator('.u-over').boundingBox())?.width ?? 0) * (500 / 999)

/** A thousand values of which the one in the middle differs. */
const flatBut = (middle: number): number[] =>
  Array.from({ length: 1000 }, (_, at) => (at === 500 ? middle : 100))

type Canvas = {
  width: number
  height: number
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray }
  }
}

/** The part of a chart's height that its first line reaches over, as far as its colour is plainly seen. */
function inkedShare(element: unknown): number {
  const canvas = element as Canvas
  const { width, height } = canvas
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height)
  const rows = new Set<number>()
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, , blue = 0, alpha = 0] = data.subarray(at, at + 4)
    if (blue - red > 70 && alpha > 100) rows.add(Math.floor(at / 4 / width))
  }
  return (Math.max(...rows) - Math.min(...rows)) / height
}

test('what a chart could not load is said, and its time can still be changed', async () => {
  const console = getConsole()
  const page = await console.page()
  let failing = 'threshold/batches'
  await page.route(/\/(api|manage)\/v1\//, (route) =>
    route.request().url().includes(failing)
      ? route.fulfill({ status: 500, json: { name: 'InternalError', message: 'Query failed.' } })
      : route.continue(),
  )
  await page.goto(`${console.origin}/console/#/stations/2102?${WEEK}`)
  await page.getByText('Thresholds or alarms of this chart could not be loaded.').waitFor()
  const failure = page.getByText('This could not be loaded')

  failing = 'stations/2102/records'
  await page.getByRole('button', { name: 'Earlier' }).click()
  await failure.waitFor()
  await page.locator('.u-over').waitFor()

  failing = 'manage/v1/series'
  await page.getByRole('button', { name: 'Earlier' }).click()
  await page.locator('.u-over').waitFor({ state: 'detached' })
  await failure.waitFor()

  failing = 'nothing'
  await page.getByRole('button', { name: 'Earlier' }).click()
  await drawn(page, /Exceedance/)
  await failure.waitFor({ state: 'detached' })
})

test('another station is added from its structure', async () => {
  const console = getConsole()
  const page = await console.page({ address: `/stations/1002?${MINUTE}` })
  await drawn(page, 'FRC-01')
  await page.getByRole('button', { name: 'Add station' }).click()
  await page.getByLabel('Name of a station or factor').fill('frc')
  await page.getByRole('button', { name: /FRC-02/ }).click()

  await drawn(page, 'FRC-02')

  assert.match(page.url(), /stations\/1002,1003\?/)
})

test('a phone shows the chart, and a station that is not there is said', async () => {
  const console = getConsole()
  const page = await console.page({ address: `/stations/1004?${MINUTE}`, size: 'phone' })
  await drawn(page, 'INC01')
  await console.check(page)
  await console.screenshot(page, 'station-phone')

  await page.goto(`${console.origin}/console/#/stations/99`)

  await page.getByText('This station is not there', { exact: false }).waitFor()
})

test('a time in which every value is bad shows them as marks and in the table', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/stations/1005' })
  await drawn(page, 'Air temperature')
  const [startTime, endTime] = ['2022-04-11 08:00:00', '2022-04-11 08:40:00']
  const { change } = await call<{ change: number }>(
    page,
    'POST',
    '/manage/v1/stations/1005/quality',
    {
      startTime,
      endTime,
      quality: 'bad: cable cut',
    },
  )

  const other = await console.page({ address: `/stations/1005?from=${startTime}&to=${endTime}` })
  await drawn(other, 'Air temperature')
  await other.getByRole('cell', { name: 'cable cut' }).first().waitFor()
  await console.check(other)
  await console.screenshot(other, 'station-bad-values')
  await call(page, 'POST', `/manage/v1/changes/${change}/undo`, {})
})

test('a time without records is said, and keeps the chart', async () => {
  const console = getConsole()
  const page = await console.page({
    address: '/stations/1001?from=2020-01-01 00:00:00&to=2020-01-02 00:00:00',
  })

  await page.getByText('No records in this time').waitFor()

  await page.getByRole('button', { name: 'Newest' }).click()
  await drawn(page, 'DMS_AS')
})
