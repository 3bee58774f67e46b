import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useConsole } from './_console.ts'

const getConsole = useConsole()

test('a person is invited with a link that is shown once, then changed, reset and disabled', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/accounts' })
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Invite a person' }).click()

  await dialog.getByText('Enter 1 to 64 letters').waitFor()
  await dialog.getByText('Enter the name of the person.').waitFor()
  await console.check(page)
  await console.screenshot(page, 'accounts-invite-errors')

  await dialog.getByLabel('Sign-in name').fill('li.na')
  await dialog.getByLabel('Name', { exact: true }).fill('Li Na')
  await dialog.getByLabel('Role').selectOption('operator')
  await dialog.getByText('Only administrators see every structure').waitFor()
  await dialog.getByLabel('User').selectOption({ label: 'Demo (every structure)' })
  await dialog.getByRole('button', { name: 'Invite a person' }).click()

  const link = dialog.getByLabel('Link', { exact: true })
  assert.match(await link.inputValue(), /\/console\/#\/welcome\/.+/)
  await console.screenshot(page, 'accounts-link')
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('row', { name: 'Li Na' }).getByText('Not signed in yet').waitFor()
  await console.check(page)
  await console.screenshot(page, 'accounts')

  await page.getByRole('button', { name: 'Li Na' }).click()
  await dialog.getByRole('button', { name: 'Reset the password' }).click()
  await dialog.getByText('Password and authenticator are removed').waitFor()
  await dialog.getByRole('button', { name: 'Reset the password' }).click()
  await dialog.getByLabel('Link', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()

  await page.getByRole('button', { name: 'Li Na' }).click()
  await dialog.getByLabel('Disabled: nobody signs in').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'Disabled' }).waitFor()
})

test('the audit log shows who changed what, filtered by the address, and saves it as CSV', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/audit?operation=createAccount' })
  await page.getByRole('cell', { name: 'Account created' }).first().waitFor()
  await console.check(page)
  await console.screenshot(page, 'audit')

  await page.getByRole('row').nth(1).click()
  await page.getByRole('dialog').getByText('li.na').first().waitFor()
  await console.check(page)
  await console.screenshot(page, 'audit-line')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as CSV' }).click()
  assert.match((await saved).suggestedFilename(), /^audit-\d+\.csv$/)

  await page.getByLabel('Who').fill('nobody')
  await page.getByLabel('Who').press('Enter')
  await page.getByText('No change with these filters').waitFor()
  assert.match(page.url(), /who=nobody/)
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page.getByText('No change with these filters').waitFor({ state: 'detached' })
})

test('accounts and the audit log are shown in Chinese on a phone in the dark', async () => {
  const console = getConsole()
  for (const address of ['accounts', 'audit']) {
    const page = await console.page({
      address: `/${address}`,
      language: 'zh',
      theme: 'dark',
      size: 'phone',
    })
    await page.getByRole('table').waitFor()
    await console.check(page)
    await console.screenshot(page, `${address}-zh-dark-phone`)
  }
})
