import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useConsole } from './_console.ts'

const getConsole = useConsole({ mayHave: /status of 404/ })

test('a structure shows its stations by factor, with value, unit, age and state', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/structures/101' })

  const row = page.getByRole('row', { name: /DMS_AS/ })
  await row.getByText('−478.5 µm/m').waitFor()

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
