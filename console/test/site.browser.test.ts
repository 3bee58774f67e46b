import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { useConsole } from './_console.ts'

const getConsole = useConsole({ mayHave: /status of 409/ })

const contentOf = (page: Page) => page.locator('.cm-content')

/** Opens a site file in the editor, made from the one of the service. */
async function change(page: Page, make: (text: string) => string): Promise<void> {
  const { text } = await (
    await page.request.get(new URL('/manage/v1/site', page.url()).href)
  ).json()
  await page.getByLabel('Open a file').setInputFiles({
    name: 'site.yaml',
    mimeType: 'application/yaml',
    buffer: Buffer.from(make(text)),
  })
}

test('the editor completes members and values, and names an error at its line', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/operate/site' })
  await contentOf(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.press('Enter')

  await page.keyboard.type('  - na')
  await page.getByRole('option', { name: /^name/ }).waitFor()
  await console.screenshot(page, 'site-completion')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')

  await page.getByRole('heading', { name: /error/ }).waitFor()
  await page.locator('.cm-problem').first().waitFor()
  await console.check(page)
  await console.screenshot(page, 'site-errors')
})

test('a change is compared, shown as a difference and applied; what others changed is kept', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/operate/site' })
  const colleague = await console.page({ address: '/operate/site' })
  await contentOf(colleague).waitFor()
  await change(page, (text) => text.replace('Open measurements', 'Measurements of bridges'))

  await page.getByRole('heading', { name: '1 change' }).waitFor()
  await page.getByRole('tab', { name: 'Difference' }).click()
  await page.locator('.cm-deletedChunk').waitFor()
  await console.check(page)
  await console.screenshot(page, 'site-difference')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await page.getByText('The site was changed.').waitFor()
  await page.getByText('Nothing is changed').waitFor()

  await change(colleague, (text) =>
    `${text}\n# ours\n`.replace('name: Demo', 'name: Demonstration'),
  )
  await colleague.getByText('Somebody else has changed the site meanwhile.').waitFor()
  await console.screenshot(colleague, 'site-conflict')
  await colleague.getByRole('button', { name: 'Compare with the site now' }).click()
  await colleague.getByText('Somebody else has changed').waitFor({ state: 'detached' })
  await colleague.getByRole('tab', { name: 'Edit' }).click()
  await contentOf(colleague).click()
  await colleague.keyboard.press('Control+End')
  await contentOf(colleague).getByText('# ours').waitFor()
})

test('the editor goes on with the site as it was applied', async () => {
  const console = getConsole()
  const page = await console.page({ address: '/operate/site' })
  await contentOf(page).waitFor()
  await change(page, (text) => `# ours\n${text.replace('name: Demo', 'name: Demo office')}`)
  await contentOf(page).getByText('# ours').waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()

  await page.getByText('Nothing is changed').waitFor()
  // The service keeps no comments.
  await contentOf(page).getByText('# ours').waitFor({ state: 'detached' })
  await contentOf(page).getByText('Demo office').waitFor()
  await page.getByText('Nothing is changed').waitFor()
})

test('structures that a file leaves out are removed only when asked for and confirmed', async () => {
  const console = getConsole()
  const page = await console.page({
    address: '/operate/site',
    language: 'zh',
    theme: 'dark',
    size: 'phone',
  })
  await contentOf(page).waitFor()
  await page.getByLabel('打开文件').setInputFiles({
    name: 'site.yaml',
    mimeType: 'application/yaml',
    buffer: Buffer.from('timeZone: America/Los_Angeles\nstructures: []\n'),
  })
  await page.getByText('更多选项').click()
  await page.getByLabel('移除文件中没有的结构物和用户').check()
  await page.getByText('按当前选项无法应用').or(page.getByText('将被删除')).first().waitFor()

  await console.check(page)
  await console.screenshot(page, 'site-zh-dark-phone')
  assert.ok(await page.getByRole('button', { name: '应用' }).isVisible())
})
