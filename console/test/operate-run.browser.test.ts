import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useConsole } from './_console.ts'

const getConsole = useConsole({ mayHave: /status of 400/ })

test('a file is tried, imported with its report, and undone', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/operate/imports' })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Choose at least one file.').waitFor()
  await page.getByText('Enter the mapping, or open a mapping file.').waitFor()

  await page.getByRole('textbox', { name: 'Mapping' }).fill('format: csv\ncolums: []\n')
  await page
    .getByLabel('Choose files')
    .last()
    .setInputFiles({
      name: 'air.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'time,air\n2026-01-01 00:00:00,4.5\n2026-01-01 00:10:00,warm\n2026-01-01 00:20:00,cold\n',
      ),
    })
  await page.getByRole('button', { name: 'Dry run' }).click()
  await page.getByText('colums', { exact: false }).last().waitFor()
  await console.check(page)
  await console.screenshot(page, 'imports-errors')

  await page
    .getByRole('textbox', { name: 'Mapping' })
    .fill(
      'format: csv\ntime: { column: time, format: YYYY-MM-DD HH:mm:ss }\ncolumns:\n  - { column: air, station: 1005, item: temperature }\n',
    )
  await page.getByRole('button', { name: 'Dry run' }).click()
  await page.getByRole('cell', { name: 'air.csv Dry run' }).waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Done, with rejected rows').nth(1).waitFor()
  await page.getByRole('button', { name: 'Report' }).first().click()
  await page.getByRole('dialog').getByText('air.csv', { exact: false }).nth(1).waitFor()
  await console.screenshot(page, 'imports-report')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

  await page.getByRole('button', { name: 'Undo' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Records: 1 removed').waitFor()
  await console.screenshot(page, 'imports-undone')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByText(/Undone \d{4}-/).waitFor()
})

test('the row that was rejected is listed with its reason, corrected and stored', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/operate/rejects' })
  await page
    .getByRole('button', { name: /^\d{4}-/ })
    .first()
    .click()
  await page.getByRole('dialog').getByText('cold', { exact: false }).last().waitFor()
  await console.screenshot(page, 'rejects-payload')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

  await page.getByLabel('Select all that are shown').check()
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('Rejected again:').first().waitFor()
  await page
    .getByRole('button', { name: /^\d{4}-/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Correct' }).click()
  const text = dialog.getByRole('textbox', { name: 'Corrected' })
  await text.fill((await text.inputValue()).replace('cold', 'mild'))
  await dialog.getByRole('button', { name: 'Store' }).click()
  await dialog.getByText('mild', { exact: false }).last().waitFor()
  await dialog.getByText('The reject could not be repaired', { exact: false }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'rejects-correct')
  await text.fill((await text.inputValue()).replace('mild', '5.5'))
  await dialog.getByRole('button', { name: 'Store' }).click()
  await page.getByText('1 stored.').waitFor()

  // The other one is still selected.
  await page.getByRole('button', { name: 'Drop' }).click()
  await dialog.getByRole('button', { name: 'Drop' }).click()
  await page.getByText('No rejected records').waitFor()
})

test('an application and a key get secrets that are shown once, and are revoked', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/operate/applications' })
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add an application' }).click()
  await dialog.getByRole('button', { name: 'Add an application' }).click()
  await dialog.getByText('Enter a name.').waitFor()
  await dialog.getByLabel('Name').fill('Monthly report')
  await dialog.getByText('Choose a user.').waitFor()
  await dialog.getByLabel('User').selectOption({ label: 'Demo (every structure)' })
  await dialog.getByRole('button', { name: 'Add an application' }).click()
  assert.ok((await dialog.getByLabel('Secret', { exact: true }).inputValue()).length > 20)
  await console.check(page)
  await console.screenshot(page, 'application-secret')
  await dialog.getByRole('button', { name: 'I have kept it' }).click()
  await page.getByRole('button', { name: 'Monthly report' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Monthly report was revoked.').waitFor()

  await page.getByRole('tab', { name: 'Ingest keys' }).click()
  await page.getByRole('button', { name: 'Add an ingest key' }).click()
  await dialog.getByLabel('Name').fill('gateway')
  await dialog.getByRole('button', { name: 'Add an ingest key' }).click()
  await dialog.getByText('Name at least one structure, station or sensor.').waitFor()
  await dialog.getByLabel('Stations of').selectOption({ label: 'Mukilteo coastal bluffs' })
  const stations = dialog.getByRole('group', { name: 'Stations' })
  await stations.getByRole('searchbox').fill('rainfall')
  await stations.getByRole('checkbox', { name: /^Cumulative rainfall/ }).check()
  await dialog.getByLabel('Stations of').selectOption({ index: 0 })
  await stations.getByRole('button', { name: /^Leave out Cumulative rainfall/ }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'key-choices')
  await dialog.getByRole('button', { name: 'Add an ingest key' }).click()
  assert.ok((await dialog.getByLabel('Key', { exact: true }).inputValue()).length > 20)
})

test('a maintenance window is added and ended', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/operate/maintenance' })
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add a maintenance window' }).click()
  await dialog.getByLabel('End').fill('2020-01-01T00:00')
  await dialog.getByRole('button', { name: 'Add a maintenance window' }).click()
  await dialog.getByText('The end is before the start.').waitFor()
  await dialog.getByText('Enter a reason', { exact: false }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'maintenance-errors')
  await dialog.getByLabel('End').fill('2090-01-01T00:00')
  await dialog.getByLabel('Reason').fill('New bearings')
  await dialog.getByRole('button', { name: 'Add a maintenance window' }).click()
  await page.getByRole('cell', { name: 'New bearings' }).waitFor()
  await page.getByRole('button', { name: 'End now' }).click()
  await dialog.getByRole('button', { name: 'End now' }).click()
  await page.getByText('No maintenance window').waitFor()
})

test('an operator finds no part that needs an administrator', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/operate', role: 'operator' })
  await page.getByRole('heading', { name: 'Watched folders' }).waitFor()
  const tabs = await page.getByRole('tab').allTextContents()

  assert.deepEqual(
    tabs.map((text) => text.trim()),
    ['Data sources', 'Rejected records', 'Imports', 'Notifications', 'Maintenance'],
  )
})

test('an address that is no part, or one of another role, is said', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/operate/nonsense', role: 'operator' })
  await page.getByText('There is no page at this address').waitFor()
  await page.getByText('The address may be incomplete.').waitFor()

  await page.goto(`${console.origin}/console/#/operate/keys`)

  await page.getByText('Your role may not see this page').waitFor()
  await page.getByText('Ask an administrator.').waitFor()
})
