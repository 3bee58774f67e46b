import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { enterReading, removeStrainThresholds, setStrainThresholds } from './_alarms.ts'
import { useConsole } from './_console.ts'

const getConsole = useConsole({ mayHave: /ERR_INTERNET_DISCONNECTED|status of 500/ })

const LOOKS = [
  { language: 'en', theme: 'light', size: 'desktop' },
  { language: 'zh', theme: 'dark', size: 'desktop' },
  { language: 'en', theme: 'dark', size: 'phone' },
  { language: 'zh', theme: 'light', size: 'phone' },
  { language: 'en', theme: 'light', size: 'wall' },
] as const

/** An open alarm of the strain gauge, which escalated, and one of the rain. */
async function raise(page: Page): Promise<void> {
  await setStrainThresholds(page)
  for (const [index, strain] of [150, 250, 350].entries())
    await enterReading(page, { station: 1001, values: { strain }, minutesAgo: 3 - index })
  await enterReading(page, { station: 2102, values: { exceedance: 0.5 } })
}

const rowOf = (page: Page, text: string | RegExp) =>
  page
    .getByRole('row')
    .filter({ hasText: text })
    .filter({ has: page.getByRole('checkbox') })

test('an alarm is opened, shelved, confirmed and looked up with what happened to it', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/alarms' })
  await page.getByRole('heading', { name: 'Alarms' }).waitFor()
  await raise(page)

  await page.getByRole('link', { name: 'DMS_AS' }).click()
  const details = page.getByRole('complementary', { name: 'Alarm' })
  await details.getByText('Escalated').first().waitFor()
  assert.match(page.url(), /alarm=\d+/)

  await details.getByRole('button', { name: 'Shelve' }).click()
  const dialog = page.getByRole('dialog', { name: 'Shelve 1 alarm' })
  await dialog.getByRole('button', { name: 'Shelve' }).click()
  await dialog.getByText('Say why, in a few words.').waitFor()
  await dialog.getByLabel('Until').selectOption('custom')
  await dialog.getByText('Enter a time.').waitFor()
  await dialog.getByLabel('Time (Europe/Berlin)').fill('2020-01-01T08:00')
  await dialog.getByText('Enter a time in the future.').waitFor()
  await console.screenshot(page, 'alarms-shelve')
  await console.check(page)
  await dialog.getByLabel('Until').selectOption('shift')
  await dialog.getByLabel('Comment').fill('Crane at work')
  await dialog.getByRole('button', { name: 'Shelve' }).click()
  await details
    .getByText(/^Shelved until/)
    .first()
    .waitFor()
  await rowOf(page, /Shelved until/).waitFor()

  await details.getByRole('button', { name: 'End shelving' }).click()
  await details.getByText('Shelving ended by a person').waitFor()
  await console.screenshot(page, 'alarms-details')
})

for (const { language, theme, size } of LOOKS) {
  test(`the alarms in ${language}, ${theme}, ${size}`, async () => {
    const console = getConsole()
    const page = await console.page({ address: '/alarms?status=all', language, theme, size })
    await page
      .getByText(/DMS_AS/)
      .first()
      .waitFor()
    await console.check(page)
    await console.screenshot(page, `alarms-${language}-${theme}-${size}`)

    await page.getByRole('link', { name: 'DMS_AS' }).first().click()
    await page.locator('aside ol').waitFor()
    await console.check(page)
    await console.screenshot(page, `alarm-${language}-${theme}-${size}`)
  })
}

test('pictures of an alarm that could not be loaded are said to be so', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/alarms?status=all' })
  await page.route('**/snapshots', (route) =>
    route.fulfill({ status: 500, json: { name: 'InternalError', message: 'Query failed.' } }),
  )

  await page.getByRole('link', { name: 'DMS_AS' }).first().click()

  await page.getByRole('heading', { name: 'Pictures of the moment' }).waitFor()
  await page.getByRole('alert').getByText('Query failed.').waitFor()
})

test('alarms are walked, selected, opened and left by keyboard', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/alarms' })
  await page.getByRole('link', { name: 'DMS_AS' }).waitFor()
  const links = page.getByRole('row').getByRole('link')
  const [first = '', second = ''] = await links.allTextContents()
  const focused = () => page.evaluate('document.activeElement.textContent')

  await page.keyboard.press('j')
  assert.equal(await focused(), first)
  await page.keyboard.press('ArrowDown')
  assert.equal(await focused(), second)
  await page.keyboard.press('k')
  await page.keyboard.press('k')
  assert.equal(await focused(), first)
  await page.keyboard.press('Space')
  await page.getByText('1 selected').waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  const details = page.getByRole('complementary', { name: 'Alarm' })
  await details.getByRole('heading', { name: second }).waitFor()
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'ASIDE')

  await page.keyboard.press('Escape')
  await details.waitFor({ state: 'detached' })
  assert.equal(await focused(), second)
})

test('several alarms are confirmed with a comment, which survives a lost connection', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/alarms' })
  await page.getByRole('link', { name: 'DMS_AS' }).waitFor()
  await page.getByLabel('Select all on this page').check()
  await page.getByText('2 selected').waitFor()
  await page.getByRole('button', { name: 'Confirm' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm 2 alarms' })
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByText('Say why, in a few words.').waitFor()
  await dialog.getByLabel('Comment').fill('Crane at work, values are right.')
  await page.context().setOffline(true)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/does not respond/)
    .waitFor()
  const lost = page.getByText('The console tries again; what you typed stays.')
  await console.screenshot(page, 'alarms-lost-connection')

  await page.context().setOffline(false)
  // It answers by a click of "Try again" above the dialog, or has asked by itself meanwhile.
  await page
    .getByRole('button', { name: 'Try again' })
    .click({ timeout: 2000 })
    .catch(() => {})
  await lost.waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Confirm' }).click()

  await page.getByText('2 alarms confirmed.').waitFor()
  await page.getByText('No open alarm').waitFor()
  await page.getByLabel('Status').selectOption('history')
  await page.getByRole('link', { name: 'DMS_AS' }).first().click()
  await page.getByText('Crane at work, values are right.').waitFor()
})

test('the filters are in the address, and say that nothing matches', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/alarms?status=all&levels=1&keywords=Cumulative' })
  await page
    .getByRole('link', { name: /^Cumulative rainfall/ })
    .first()
    .waitFor()
  assert.equal(await page.getByRole('link', { name: 'DMS_AS' }).count(), 0)

  await page.getByRole('button', { name: 'Structures: All structures' }).click()
  await page.getByRole('checkbox', { name: /Test bridge/ }).check()
  await page.getByText('No alarm matches the filters').waitFor()
  await page.waitForURL(/structures=101/)
  await page.getByLabel('Text or number').fill('#17')
  const byNumber = page.getByRole('link', { name: 'Open alarm 17' })
  assert.match(String(await byNumber.getAttribute('href')), /#\/alarms\/17$/)
  await page.getByLabel('From').fill('2026-11-02T08:00')
  await page.getByLabel('To', { exact: true }).fill('2026-11-01T08:00')
  await page.getByText('The end is before the start.').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByRole('link', { name: 'DMS_AS' }).first().waitFor()

  // What is typed is not lost to the next filter, and does not come back after it was cleared.
  await page.getByLabel('Text or number').fill('Cumulative')
  await page.getByLabel('From').fill('2026-11-02T08:00')
  assert.match(page.url(), /keywords=Cumulative/)
  await page.getByLabel('Text or number').fill('Nothing has this')
  await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).first().click()
  await setTimeout(500)
  assert.doesNotMatch(page.url(), /keywords=/)
  await page.getByRole('button', { name: 'Last update' }).click()
  await page.waitForURL(/sort=endTime/)
})

test('an address with the id of an alarm shows it alone', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/alarms?status=all' })
  await page.getByRole('link', { name: 'DMS_AS' }).first().click()
  await page.waitForURL(/alarm=\d+/)
  const id = /alarm=(\d+)/.exec(page.url())?.[1]

  await page.goto(`${console.origin}/console/#/alarms/${id}`)

  await page.getByRole('heading', { name: `Alarm ${id}` }).waitFor()
  await page.getByRole('heading', { name: /DMS_AS/ }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'alarm-alone')
  await removeStrainThresholds(page)
})

test('a viewer sees alarms, and nothing that changes them', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/alarms?status=all', role: 'viewer' })

  await page.getByRole('link', { name: 'DMS_AS' }).first().click()
  await page.locator('aside ol').waitFor()

  assert.equal(await page.getByRole('checkbox').count(), 0)
  for (const name of ['Confirm', 'Shelve', 'End shelving'])
    assert.equal(await page.getByRole('button', { name }).count(), 0)
})
