import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { useConsole, type Console } from './_console.ts'
import * as responses from './_operate-responses.ts'

const getConsole = useConsole({ mayHave: /status of 409/ })

type Options = Parameters<Console['page']>[0] & { address: string }

/** Opens a page of the site for which the service would need brokers, channels and a disk that fills. */
async function open({ address, ...options }: Options): Promise<{ console: Console; page: Page }> {
  const console = getConsole()
  const page = await console.page({ ...options, address: '/nowhere' })
  const answers: Record<string, object> = {
    status: responses.STATUS,
    intake: responses.INTAKE,
    'rejects?*': responses.REJECTS,
    'imports?*': responses.IMPORTS,
    'changes?*': responses.CHANGES,
    'deliveries?*': responses.DELIVERIES,
    'maintenance?*': responses.WINDOWS,
    applications: responses.APPLICATIONS,
    keys: responses.KEYS,
  }
  for (const [path, json] of Object.entries(answers))
    await page.route(`**/manage/v1/${path}`, (route) =>
      route.request().method() === 'GET' ? route.fulfill({ json }) : route.fallback(),
    )
  await page.goto(`${console.origin}/console/#${address}`)
  return { console, page }
}

const shown = (page: Page, text: string): Promise<void> =>
  page.getByRole('main').getByText(text).first().waitFor({ state: 'attached' })

const SHOWN = {
  status: ['in 9 days', '剩余 9 天'],
  intake: ['1 of 2 connected', '已连接 1/2'],
  rejects: ['line 4012', '拒收记录'],
  imports: ['load-test.csv', '完成，部分行被拒收'],
  notifications: ['Suppressed', '已抑制'],
  maintenance: ['Under way', '进行中'],
  applications: ['Control room', '使用中'],
  keys: ['gateway east pylon', '使用中'],
} as const

for (const [part, [english, chinese]] of Object.entries(SHOWN)) {
  test(`${part} is shown in both languages, light and dark, on a desktop and a phone`, async () => {
    const address = `/operate/${part}`

    const { console, page } = await open({ address })
    await shown(page, english)
    await console.check(page)
    await console.screenshot(page, `operate-${part}`)

    const phone = await open({ address, language: 'zh', theme: 'dark', size: 'phone' })
    await shown(phone.page, chinese)
    await console.check(phone.page)
    await console.screenshot(phone.page, `operate-${part}-zh-dark-phone`)
  })
}
