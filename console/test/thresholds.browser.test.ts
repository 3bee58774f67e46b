import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useConsole } from './_console.ts'

const getConsole = useConsole()

const LOOKS = [
  { language: 'en', theme: 'light', size: 'desktop' },
  { language: 'zh', theme: 'dark', size: 'desktop' },
  { language: 'en', theme: 'dark', size: 'phone' },
  { language: 'zh', theme: 'light', size: 'phone' },
  { language: 'en', theme: 'light', size: 'wall' },
] as const

const LIST = '/structures/102/thresholds'
const RAIN = `${LIST}?batch=5d0c0a5e-3c1b-4b56-9a67-c1ad4f1f2015`

for (const { language, theme, size } of LOOKS) {
  test(`the thresholds in ${language}, ${theme}, ${size}`, async () => {
    const console = getConsole()
    const page = await console.page({ address: LIST, language, theme, size })
    await page.getByText('(0,+)').waitFor()
    await console.check(page)
    await console.screenshot(page, `thresholds-${language}-${theme}-${size}`)

    await page.goto(`${console.origin}/console/#${RAIN}`)
    await page.getByRole('img', { name: /Cumulative rainfall threshold/ }).waitFor()
    await page.getByRole('button', { name: /^(Run the back-test|开始回测)$/ }).click()
    await page.getByRole('region', { name: /^(Back-test|回测)$/ }).waitFor()
    await page.getByText(/(had \d+ alarms? in this time|此时间内有 \d+ 条告警)/).waitFor()
    await console.check(page)
    await console.screenshot(page, `threshold-${language}-${theme}-${size}`)
  })
}

test('thresholds are added, say what is wrong, are back-tested, changed with a rule, and deleted', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/structures/101/thresholds' })
  await page.getByRole('link', { name: 'Add thresholds to Strain' }).click()
  await page.getByRole('heading', { name: 'Add thresholds to Strain' }).waitFor()
  await page.getByLabel(/^Values that violate it/).fill('300')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Choose at least one station.').waitFor()
  await page.getByText('Enter intervals such as (5,10) or (-,-300);(300,+).').waitFor()
  await page.getByText('2 fields need a correction.').waitFor()
  await console.check(page)
  await console.screenshot(page, 'threshold-wrong')

  await page.getByLabel('DMS_AS').check()
  await page.getByLabel(/^Values that violate it/).fill('（10，＋）')
  await page
    .getByText('Far from these values, and not in the chart: the thresholds of level 1.')
    .waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  const save = page.getByRole('dialog', { name: 'Save the thresholds' })
  await save.getByText('This draft is not back-tested.').waitFor()
  await save.getByRole('button', { name: 'Run the back-test' }).click()
  await page.getByText(/^It would have raised/).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await save.getByRole('button', { name: 'Save' }).click()
  await page.getByText('(10,+)').waitFor()

  await page.getByRole('link', { name: 'Show' }).click()
  await page.getByLabel('Add a rule').selectOption('frozen')
  await page.getByLabel('Hours (h)').fill('24')
  await page.getByRole('group', { name: 'Frozen value' }).getByLabel('Level').fill('3')
  await page.getByRole('button', { name: 'Save' }).click()
  await save.getByRole('button', { name: 'Save' }).click()
  await save.waitFor({ state: 'detached' }).catch(() => {})
  await page.getByRole('link', { name: 'To all thresholds' }).click()
  await page.getByText('Rules: Frozen value').waitFor()

  await page.getByRole('link', { name: 'Show' }).click()
  assert.equal(await page.getByLabel('Hours (h)').inputValue(), '24')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('This structure has no thresholds').waitFor()
})

test('a level that is never raised is said, and may be saved', async () => {
  const console = getConsole()
  const page = await console.page({ address: RAIN })
  const values = page.getByLabel(/^Values that violate it/)
  await values.first().fill('(1,+)')
  await page.getByRole('button', { name: 'Add a level' }).click()
  await values.nth(1).fill('(5,+)')
  const hint = page.getByText(
    /^Every value of level 2 is also one of level 1: level 2 is never raised/,
  )
  await hint.waitFor()
  await console.check(page)
  await console.screenshot(page, 'threshold-hidden-level')

  await page.getByRole('button', { name: 'Save' }).click()
  const save = page.getByRole('dialog', { name: 'Save the thresholds' })
  await save.getByRole('button', { name: 'Save' }).waitFor()
  await page.keyboard.press('Escape')

  await values.nth(1).fill('(0,1)')
  await hint.waitFor({ state: 'detached' })
})

test('edits are not lost without a question', async () => {
  const console = getConsole()
  const page = await console.page({ address: RAIN })
  await page.getByLabel(/^Values that violate it/).fill('(1,+)')

  for (const name of ['To all thresholds', 'Alarms']) {
    const asked = page.waitForEvent('dialog')
    page.once('dialog', (dialog) => void dialog.dismiss())
    await page.getByRole('link', { name, exact: true }).click()
    assert.match((await asked).message(), /./)
  }

  assert.equal(await page.getByLabel(/^Values that violate it/).inputValue(), '(1,+)')
})

test('a viewer sees thresholds and their back-test, and changes nothing', async () => {
  const console = getConsole()
  const page = await console.page({ address: RAIN, role: 'viewer' })
  await page.getByRole('button', { name: 'Run the back-test' }).click()
  await page.getByText(/^It would have raised/).waitFor()

  for (const name of ['Save', 'Delete', 'Add a level'])
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0)
  assert.equal(await page.getByLabel(/^Values that violate it/).isEditable(), false)
})
