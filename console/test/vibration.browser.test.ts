import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { useConsole } from './_console.ts'

const getConsole = useConsole({ mayHave: /status of 400/ })
const MUNICH = '/structures/101/vibration'
const CAPISTRANO = '/structures/103/vibration?station=3007'

const plotOf = (page: Page) => page.getByRole('slider')
const valueText = async (page: Page) => (await plotOf(page).getAttribute('aria-valuetext')) ?? ''
const shownInAddress = (page: Page) => page.waitForURL(/shown=/)

test('a station lists its batches with time, trigger, frequency and unit, the newest one drawn', async () => {
  const console = getConsole()
  const page = await console.page({ address: MUNICH })

  const list = page.getByRole('region', { name: 'Batches of the station, newest first' })
  await list.getByRole('row').nth(12).waitFor()
  await plotOf(page).waitFor()

  const newest = await list.getByRole('row').nth(1).innerText()
  assert.match(newest, /2022-04-11 08:47:24\s+2022-04-11 06:47:24\.000\s+100\s+60\s+g/)
  assert.equal(await valueText(page), '0.00 to 59.99 s shown')
  await console.check(page)
  await console.screenshot(page, 'vibration-waveform-en')
})

test('keys move the cursor through a waveform, pan and zoom it', async () => {
  const console = getConsole()
  const page = await console.page({ address: MUNICH })
  const plot = plotOf(page)
  await plot.focus()

  await page.keyboard.press('Home')
  assert.match(await valueText(page), /^0\.00 s · −?0\.0000\d+ g$/)
  await page.keyboard.press('Shift+ArrowRight')
  assert.match(await valueText(page), /^0\.01 s/)
  await page.keyboard.press('+')
  await page.keyboard.press('PageDown')
  await page.keyboard.press('Escape')

  assert.equal(await valueText(page), '20.00 to 59.99 s shown')
  await page.getByText('Numbers of the shown range').click()
  const numbers = page.getByRole('region', { name: 'Numbers of the shown range' })
  await numbers.getByRole('row').first().waitFor()
  assert.equal(await numbers.getByRole('row').count(), 21)
  await console.check(page)
})

test('the wheel zooms below the pointer, dragging pans, and the address keeps what is shown', async () => {
  const console = getConsole()
  const page = await console.page({ address: MUNICH })
  const box = (await plotOf(page).boundingBox())!
  const middle = { x: box.x + 72 + (box.width - 88) / 2, y: box.y + 100 }

  await page.mouse.move(middle.x, middle.y)
  await page.mouse.wheel(0, -1000)
  await shownInAddress(page)
  await page.mouse.down()
  await page.mouse.move(middle.x + 100, middle.y, { steps: 4 })
  await page.mouse.up()
  await page.mouse.move(0, 0)

  const [from = 0, to = 0] = (await valueText(page)).match(/[\d.]+/g)!.map(Number)
  assert.ok(from > 10 && from < 28 && to - from > 10 && to - from < 15, `${from} to ${to}`)
  await page.waitForURL(new RegExp(`shown=${Math.trunc(from)}\\.`))
  await page.reload()
  await plotOf(page).waitFor()
  assert.equal(await valueText(page), `${from.toFixed(2)} to ${to.toFixed(2)} s shown`)
  await page.getByRole('button', { name: 'Show all' }).click()
  assert.equal(await valueText(page), '0.00 to 59.99 s shown')
})

test('two fingers zoom', async () => {
  const console = getConsole()
  const page = await console.page({ address: MUNICH, size: 'phone', language: 'zh', theme: 'dark' })
  await plotOf(page).scrollIntoViewIfNeeded()
  await console.check(page)
  await console.screenshot(page, 'vibration-waveform-zh-phone-dark')

  await page.evaluate(`{
    const plot = document.querySelector('[role=slider]')
    plot.setPointerCapture = () => {}
    const { left, top } = plot.getBoundingClientRect()
    const send = (type, pointerId, x) => plot.dispatchEvent(new PointerEvent(type,
      { pointerId, clientX: left + x, clientY: top + 50, pointerType: 'touch', bubbles: true }))
    send('pointerdown', 1, 150); send('pointerdown', 2, 190)
    send('pointermove', 2, 230); send('pointerup', 1, 150); send('pointerup', 2, 230)
  }`)

  const [from = 0, to = 0] = (await valueText(page)).match(/[\d.]+/g)!.map(Number)
  assert.ok(Math.abs(to - from - 30) < 0.1, `${from} to ${to}`)
})

test('a spectrum shows its peaks, those of the band that is shown', async () => {
  const console = getConsole()
  const page = await console.page({ address: `${CAPISTRANO}&tab=spectrum`, theme: 'dark' })
  const peaks = page.getByRole('region', { name: 'Peaks of the shown band' })

  await peaks.getByRole('row').nth(1).waitFor()

  assert.match(await peaks.getByRole('row').nth(1).innerText(), /1\s+2\.470\s+10\.4058/)
  await console.check(page)
  await console.screenshot(page, 'vibration-spectrum-en-dark')
  await page.goto(`${console.origin}/console/#${CAPISTRANO}&tab=spectrum&shown=3,6`)
  await page.reload()
  await peaks.getByRole('cell', { name: '4.059' }).waitFor()
  assert.equal(await peaks.getByRole('cell', { name: '2.470' }).count(), 0)
})

test('a power spectral density is computed as its options say, which the address keeps', async () => {
  const console = getConsole()
  const page = await console.page({ address: `${CAPISTRANO}&tab=psd`, language: 'zh' })

  await page.getByLabel('分段长度').selectOption('1024')
  await page.getByText('24 段平均').waitFor()

  assert.match(page.url(), /segment=1024/)
  await console.check(page)
  await console.screenshot(page, 'vibration-psd-zh')
})

test('a spectrogram has a cursor with time, frequency and value, and a table', async () => {
  const console = getConsole()
  const page = await console.page({ address: `${CAPISTRANO}&tab=spectrogram` })
  await plotOf(page).focus()

  await page.keyboard.press('ArrowUp')

  assert.match(await valueText(page), /^[\d.]+ s · [\d.]+ Hz · −?[\d.]+ dB \(1 cm\/s2\)$/)
  await page.getByText('Strongest frequency of each segment').click()
  await page.getByRole('region', { name: 'Strongest frequency of each segment' }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'vibration-spectrogram-en')
})

test('a waterfall compares the batches before the chosen one', async () => {
  const console = getConsole()
  const page = await console.page({ address: `${MUNICH}?tab=waterfall`, theme: 'dark' })

  await page
    .getByRole('slider', { name: 'Power spectral densities of 12 batches, newest on top' })
    .waitFor()

  await console.check(page)
  await console.screenshot(page, 'vibration-waterfall-en-dark')
  await page.getByRole('button', { name: '2022-04-11 08:38:24' }).click()
  await page.getByRole('slider', { name: /of 3 batches/ }).waitFor()
  assert.match(page.url(), /batch=\d+&time=2022-04-11\+08:38:24/)
})

test('a link leads to its batch, also where the list does not have it', async () => {
  const console = getConsole()
  const address = `${MUNICH}?from=2022-04-12&time=2022-04-11+08:40:24`
  const page = await console.page({ address })

  await page.getByRole('heading', { name: '2022-04-11 08:40:24' }).waitFor()
  await page.getByText('No batch in this period').waitFor()
})

test('a structure without waveforms says so, and what it needs', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/structures/102/vibration', language: 'zh' })

  await page.getByText('该结构物没有带波形的测点').waitFor()
  await console.check(page)
})

test('an analysis that is refused has the sentence of the service, and can be asked for again', async () => {
  const console = getConsole()
  const page = await console.page({ address: MUNICH })
  const json = { name: 'FindError', message: 'The spectrogram has too many values.' }
  await page.route('**/spectrogram?*', (route) => route.fulfill({ status: 400, json }))

  await page.getByRole('tab', { name: 'Spectrogram' }).click()
  await page.getByRole('alert').filter({ hasText: json.message }).waitFor()
  await page.unroute('**/spectrogram?*')
  await page.getByRole('button', { name: 'Try again' }).click()

  await page.getByRole('slider', { name: 'Spectrogram of 2022-04-11 08:47:24' }).waitFor()
})
