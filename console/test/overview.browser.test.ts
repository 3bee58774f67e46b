import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enterReading } from './_alarms.ts'
import { useConsole } from './_console.ts'

const getConsole = useConsole({ mayHave: /ERR_INTERNET_DISCONNECTED/ })

const LOOKS = [
  { language: 'en', theme: 'light', size: 'desktop' },
  { language: 'zh', theme: 'dark', size: 'desktop' },
  { language: 'en', theme: 'dark', size: 'phone' },
  { language: 'zh', theme: 'light', size: 'phone' },
  { language: 'zh', theme: 'light', size: 'wall' },
] as const

test('an alarm appears in the moment in which it is raised, on the map and in the list too', async () => {
  const console = getConsole()
  const page = await console.page()
  await page.getByText('Live', { exact: true }).waitFor()

  await enterReading(page, { station: 2102, values: { exceedance: 0.5 } })

  const alarm = page.getByRole('link', { name: /0.5 in.* New / }).first()
  await alarm.waitFor()
  await page
    .getByRole('button', { name: 'Mukilteo coastal bluffs: Open alarm of level 1' })
    .waitFor()
  await page
    .getByRole('link', { name: /Mukilteo coastal bluffs Slope .* 1 open alarm of level 1/ })
    .waitFor()
  await alarm.click()
  await page.waitForURL(/#\/alarms\/\d+/)
})

for (const { language, theme, size } of LOOKS) {
  test(`the overview in ${language}, ${theme}, ${size}`, async () => {
    const console = getConsole()
    const page = await console.page({ language, theme, size })

    await page.locator('.place').first().waitFor()
    await page.locator('ol a').first().waitFor()

    await console.check(page)
    await console.screenshot(page, `overview-${language}-${theme}-${size}`)
  })
}

test('the list is found in, filtered by the address, and works by keyboard', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/?find=munich' })
  const list = page.getByRole('main').getByRole('list').first()
  await list.getByText('Test bridge of the University').waitFor()
  assert.equal(await list.getByRole('listitem').count(), 1)

  await page.getByRole('searchbox', { name: 'Find a structure' }).fill('nowhere')
  await page.getByText('No structure matches').waitFor()
  assert.match(page.url(), /find=nowhere/)
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('button', { name: /With stale stations/ }).press('Enter')
  assert.match(page.url(), /show=stale/)

  await list.getByRole('link').first().focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/structures\/\d+/)
})

test('a symbol of the map leads to its structure by keyboard', async () => {
  const console = getConsole()
  const page = await console.page()

  await page.getByRole('button', { name: /^Test bridge of the University/ }).focus()
  await page.keyboard.press('Enter')

  await page.waitForURL(/#\/structures\/101/)
})

test('a lost connection is said, what was shown stays, and what was missed arrives', async () => {
  const console = getConsole()
  const page = await console.page()
  const other = await console.page()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.context().setOffline(true)
  await page.getByText('Not live, connecting again').waitFor()
  await page
    .getByRole('link', { name: /Mukilteo/ })
    .first()
    .waitFor()
  await console.screenshot(page, 'overview-lost')

  await enterReading(other, { station: 2102, values: { exceedance: 0.75 } })
  await page.context().setOffline(false)

  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByText('0.75 in', { exact: false }).waitFor()
})
