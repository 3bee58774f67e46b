import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { useConsole } from './_console.ts'

const getConsole = useConsole({ mayHave: /status of 40[01]/ })

/** The code of an authenticator (RFC 6238) with this secret of Base32, `steps` of 30 seconds from now. */
function codeOf(secret: string, steps = 0): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const key = Buffer.from(bytes.map((byte) => parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps))
  const hash = createHmac('sha1', key).update(counter).digest()
  const number = hash.readUInt32BE(hash.at(-1)! & 15) & 0x7fffffff
  return String(number % 1e6).padStart(6, '0')
}

test('a person is invited, signs in, changes the password and sets up an authenticator', async () => {
  const console = getConsole()
  const link = await console.invite('ada', 'operator')
  const page = await console.page({ role: 'nobody', address: new URL(link).hash.slice(1) })

  await page.getByLabel('New password').fill('short')
  await page.getByRole('button', { name: 'Set the password and sign in' }).click()
  await page.getByText('5 characters; at least 12 are needed.').waitFor()
  await console.check(page)
  await console.screenshot(page, 'welcome')
  for (const label of ['New password', 'Repeat the password'])
    await page.getByLabel(label).fill('Hannover2026!')
  await page.getByRole('button', { name: 'Set the password and sign in' }).click()
  await page.getByText('The password is one word with digits or signs around it').waitFor()
  assert.equal(await page.getByLabel('New password').getAttribute('aria-invalid'), 'true')
  await page.getByLabel('New password').fill('two slow rivers')
  await page.getByLabel('Repeat the password').fill('two slow rivers')
  await page.getByRole('button', { name: 'Set the password and sign in' }).click()
  await page.getByRole('button', { name: /Account/ }).click()
  await page.getByRole('link', { name: 'Your account' }).click()

  const ofPassword = page.locator('form', { hasText: 'Change the password' })
  await ofPassword.getByLabel('Password now').fill('not this one')
  await ofPassword.getByLabel('New password').fill('four slow rivers')
  await ofPassword.getByLabel('Repeat the password').fill('four slow rivers')
  await ofPassword.getByRole('button').click()
  await ofPassword.getByText('The password is wrong.').waitFor()
  await ofPassword.getByLabel('Password now').fill('two slow rivers')
  await ofPassword.getByRole('button').click()
  await page.getByText('The password was changed.', { exact: false }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'account')

  const ofTotp = page.locator('form', { hasText: 'authenticator' })
  await ofTotp.getByLabel('Password now').fill('four slow rivers')
  await ofTotp.getByRole('button').click()
  await page.getByRole('img', { name: 'QR code for the authenticator' }).waitFor()
  await console.check(page)
  await console.screenshot(page, 'account-totp')
  const secret = (await page.locator('code').textContent()) ?? ''
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret))
  await page.getByRole('button', { name: 'Ask for codes from now on' }).click()
  await page.getByText('Signing in asks for a code of your authenticator app.').waitFor()

  await page.getByRole('button', { name: /Account/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Name').fill('ada')
  await page.getByLabel('Password').fill('four slow rivers')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Code of the authenticator').fill(codeOf(secret, 1))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('a link that was used is said to be of no use', async () => {
  const console = getConsole()
  const page = await console.page({ role: 'nobody', address: '/welcome/used', language: 'zh' })

  await page.getByText('此链接无法使用').waitFor()

  await console.check(page)
})

test('a session that ends leaves the page, and what was typed, behind the sign-in', async () => {
  const console = getConsole()
  const page = await console.page({ role: 'operator', address: '/structures/101' })
  await page.getByPlaceholder('Find a station').fill('FRC')
  await page.context().clearCookies()

  await page.getByText('Your session has ended.', { exact: false }).waitFor({ timeout: 20_000 })
  await page.getByLabel('Password').fill(console.password)
  await page.getByRole('button', { name: 'Sign in' }).click()

  await page.getByRole('row', { name: /FRC-01/ }).waitFor()
})
