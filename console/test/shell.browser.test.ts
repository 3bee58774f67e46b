import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useConsole } from './_console.ts'

const getConsole = useConsole({
  mayHave: /status of 40[14]|Failed to fetch dynamically|ERR_INTERNET_DISCONNECTED/,
})

test('the address of the service leads to the console, which asks to sign in', async () => {
  const console = getConsole()
  const page = await console.page({ role: 'nobody' })
  await page.goto(console.origin)

  await page.getByRole('heading', { name: 'Sign in' }).waitFor()

  assert.equal(page.url(), `${console.origin}/console/`)
  await console.check(page)
  await console.screenshot(page, 'sign-in')
})

test('a form that is sent empty says beside each field what is missing', async () => {
  const console = getConsole()
  const page = await console.page({ role: 'nobody', language: 'zh', size: 'phone' })

  await page.getByRole('button', { name: '登录' }).click()

  await page.getByText('请输入用户名。').waitFor()
  await page.getByText('请输入密码。').waitFor()
  await console.check(page)
  await console.screenshot(page, 'sign-in-zh-phone')
})

test('a wrong password is said to be wrong', async () => {
  const console = getConsole()
  const page = await console.page({ role: 'nobody' })
  await page.getByLabel('Name').fill('nobody')
  await page.getByLabel('Password').fill('wrong password')

  await page.getByRole('button', { name: 'Sign in' }).click()

  await page.getByText('The name or the password is wrong.').waitFor()
})

test('the navigation leads to each place, and marks where one is', async () => {
  const console = getConsole()
  const page = await console.page()
  const navigation = page.getByRole('navigation', { name: 'Navigation' })

  for (const name of [
    'Alarms',
    'Structure',
    'Vibration',
    'Traffic',
    'Cameras',
    'Thresholds',
    'Operate',
    'Accounts',
  ]) {
    await navigation.getByRole('link', { name, exact: true }).click()
    await navigation.locator('[aria-current=page]', { hasText: name }).waitFor()
  }
})

test('a viewer finds no place to change something', async () => {
  const console = getConsole()
  const page = await console.page({ role: 'viewer', address: '/operate' })

  await page.getByText('Your role may not see this page').waitFor()

  assert.equal(await page.getByRole('link', { name: 'Operate' }).count(), 0)
})

test('language and appearance are chosen in the account menu, and kept', async () => {
  const console = getConsole()
  const page = await console.page()
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByLabel('Language').selectOption('zh')
  await page.getByLabel('外观').selectOption('dark')
  await page.keyboard.press('Escape')
  await page.reload()

  await page.getByRole('link', { name: '告警', exact: true }).waitFor()

  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN')
})

test('a lost connection is said, and said to be back', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/alarms' })
  await page.getByRole('heading', { name: 'Alarms' }).waitFor()
  await page.context().setOffline(true)

  await page.getByText('The service does not respond.', { exact: false }).waitFor()
  await console.screenshot(page, 'lost-connection')
  await page.context().setOffline(false)
  await page
    .getByText('The service does not respond.', { exact: false })
    .waitFor({ state: 'detached' })
})

test('a view that is opened while the connection is lost is shown when it is back', async () => {
  const console = getConsole()
  const page = await console.page()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.locator('.leaflet-container').waitFor()
  await page.context().setOffline(true)
  // The sentence moves what is below it; what was being loaded may say it too.
  await page.getByText('The service does not respond.', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  const error = page.getByText('The service does not respond: you are still signed in.')
  await error.waitFor()
  await console.screenshot(page, 'message-of-an-error')

  await page.getByRole('link', { name: 'Traffic', exact: true }).click()
  await error.waitFor({ state: 'detached' })
  await page.context().setOffline(false)

  await page.getByRole('heading', { name: 'Traffic' }).waitFor()
})

test('a page of before an upgrade is loaded anew where the code of a view is gone, once', async () => {
  const console = getConsole()
  const page = await console.page()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  const gone = /\/assets\/Traffic-.*\.js$/
  await page.route(gone, (route) => route.fulfill({ status: 404 }))
  let loads = 0
  page.on('domcontentloaded', () => (loads += 1))

  await page.evaluate(() => (performance.now = () => 60_000))
  await page.getByRole('link', { name: 'Traffic', exact: true }).click()
  await page.getByText('This could not be loaded').waitFor()
  assert.equal(loads, 1)
  await page.unroute(gone)
  await page.getByRole('button', { name: 'Try again' }).click()

  await page.getByRole('heading', { name: 'Traffic' }).waitFor()
})

test('an unknown address leads to the overview', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/nowhere' })

  await page.getByRole('main').getByRole('link', { name: 'To the overview' }).click()

  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('the first load is under 400 KB', async () => {
  const console = getConsole()
  const page = await console.page()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  const bytes = Number(
    await page.evaluate(`[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => name.includes('/console/'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`),
  )

  assert.ok(bytes > 20_000 && bytes < 400_000, `${bytes} bytes`)
})
