import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useConsole } from './_console.ts'

const getConsole = useConsole({ mayHave: /status of 404/ })

/** A picture of 1200 by 600 pixels, as a script of the page paints it. */
const PAINT = `new Promise((resolve) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1200, height: 600 })
  const context = canvas.getContext('2d')
  context.fillStyle = '#9db4c0'
  context.fillRect(0, 0, 1200, 600)
  context.fillStyle = '#5c6b73'
  context.fillRect(0, 300, 1200, 40)
  for (const x of [200, 580, 960]) context.fillRect(x, 340, 40, 200)
  resolve(canvas.toDataURL('image/png').split(',')[1])
})`

test('a structure shows its stations by factor, with value, unit, age and state', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/structures/101' })

  // Other tests send readings of the station above it.
  const row = page.getByRole('row', { name: /FRC-01/ })
  await row.getByText('234.73 kN').waitFor()

  await row.getByRole('img', { name: 'Stale' }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'structure')
})

test('stations are searched for, and several are opened in one chart', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/structures/102', language: 'zh', theme: 'dark' })
  await page.getByPlaceholder('查找测点').fill('Soil water content')
  await page.getByRole('checkbox', { name: '选择 Soil water content 1' }).first().check()
  await page.getByRole('checkbox', { name: '选择 Soil water content 2' }).first().check()
  await console.check(page)
  await console.screenshot(page, 'structure-zh-dark')

  await page.getByRole('button', { name: '在一张图中打开 2 个测点' }).click()

  await page.waitForURL(/stations\/2111,2112/)
})

test('an administrator sets the picture and where stations are on it', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/structures/101' })
  await page.getByRole('button', { name: 'Choose a picture' }).waitFor()
  const input = page.locator('input[type=file]')
  await input.setInputFiles({ name: 'a.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF') })
  await page.getByText('This is no JPEG, PNG or WebP picture.').waitFor()
  const buffer = Buffer.from(String(await page.evaluate(PAINT)), 'base64')

  await input.setInputFiles({ name: 'bridge.png', mimeType: 'image/png', buffer })
  await page.getByText('The picture was stored.').waitFor()
  await page.getByRole('button', { name: 'Place stations' }).click()
  const picture = page.getByRole('img', { name: /^Picture of/ })
  await picture.click({ position: { x: 200, y: 150 } })
  await picture.click({ position: { x: 600, y: 150 } })
  await console.screenshot(page, 'structure-placing')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The positions were stored.').waitFor()

  const mark = page.getByRole('link', { name: /FRC-01\s+234\.73/ })
  await mark.waitFor()
  await console.check(page)
  await console.screenshot(page, 'structure-portrait')
  await mark.click()
  await page.waitForURL(/stations\/1002/)
})

test('a viewer sees the picture on a phone, and changes nothing', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/structures/101', size: 'phone', role: 'viewer' })

  await page.getByRole('row', { name: /DMS_AS/ }).waitFor()

  assert.equal(await page.getByRole('button', { name: /Place|picture/ }).count(), 0)
  await console.check(page)
  await console.screenshot(page, 'structure-phone')
})

test('a structure that is not there is said', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/structures/999' })

  await page.getByText('This structure is not there', { exact: false }).waitFor()
})
