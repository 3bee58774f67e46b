import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { useConsole } from './_console.ts'

const getConsole = useConsole()
const DAY = '/structures/103/traffic?from=2009-05-17'

const listOf = (page: Page) => page.getByRole('region', { name: 'Vehicles', exact: true })

test('the vehicles of a day are counted by hour, lane and weight, and listed', async () => {
  const console = getConsole()
  const page = await console.page({ address: DAY })

  await page.getByRole('img', { name: '1,334 vehicles over time' }).waitFor()
  const lanes = page.getByRole('region', { name: 'By lane and weight' })
  await listOf(page).getByRole('row').nth(50).waitFor()

  assert.equal(await lanes.getByRole('columnheader', { name: '≥ 49 t' }).count(), 1)
  assert.match(await listOf(page).getByRole('row').nth(1).innerText(), /2009-05-17 23:\d\d:\d\d/)
  await page.getByText('1 to 50 of 1,334').waitFor()
  await console.check(page)
  await console.screenshot(page, 'traffic-en')
  await page.getByText('Numbers over time').click()
  const hours = page.getByRole('region', { name: 'Numbers over time' })
  await hours.getByRole('row').nth(24).waitFor()
  assert.equal(await hours.getByRole('row').count(), 25)
})

test('the list has the filters of the interface, which the address keeps', async () => {
  const console = getConsole()
  const page = await console.page({ address: DAY })

  await page.getByRole('combobox', { name: 'Vehicles', exact: true }).selectOption('true')
  await page.getByLabel('Weight from (t)').fill('40')
  await page.waitForURL(/overload=true&loadFloor=40/)
  await page.getByRole('button', { name: 'Weight', exact: true }).click()
  await page.waitForURL(/sort=load&order=asc/)
  await page.reload()
  await listOf(page).getByRole('row').nth(1).waitFor()

  const weights = await listOf(page).locator('tbody td:nth-child(6)').allInnerTexts()
  assert.ok(weights.length > 0 && weights.every((text) => Number(text) >= 40), `${weights}`)
  assert.deepEqual(
    weights,
    weights.toSorted((a, b) => Number(a) - Number(b)),
  )
  await page.getByLabel('Plate contains').fill('NOBODY')
  await page.getByText('No vehicle fits the filter').waitFor()
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await page.getByText('1 to 50 of 1,334').waitFor()
})

test('a weight that is no number and days in the wrong order are said beside their field', async () => {
  const console = getConsole()
  const page = await console.page({ address: DAY, language: 'zh', size: 'phone', theme: 'dark' })

  await page.getByLabel('车重不低于').fill('heavy')
  await page.getByText('请输入数字，例如 40。').waitFor()
  await page.getByLabel('结束日期').fill('2009-05-16')
  await page.getByText('结束日期早于开始日期。').waitFor()

  assert.equal(await page.getByLabel('车重不低于').inputValue(), 'heavy')
  await console.check(page)
  await page.getByLabel('结束日期').fill('2009-05-18')
  await page.getByRole('img').first().waitFor()
  await console.screenshot(page, 'traffic-zh-phone-dark')
})

test('a period without vehicles leads to the last ones', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/structures/103/traffic' })

  await page.getByRole('button', { name: 'Go to the last vehicles' }).click()

  await page.waitForURL(/from=2009-05-17&to=2009-05-17/)
  await page.getByText('1 to 50 of 1,334').waitFor()
})
