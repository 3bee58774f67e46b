import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { useConsole } from './_console.ts'

const getConsole = useConsole({ mayHave: /status of 404/ })

/** Each path of `routes.ts`, with things of the demo site in place of its parameters. */
const ADDRESSES = Array.from(
  readFileSync(join(import.meta.dirname, '../src/routes.ts'), 'utf8').matchAll(/'(\/[^']*)'/g),
  ([, path = '']) => path,
).flatMap((path) => {
  if (path === '/alarms/:alarmId') return []
  if (path === '/operate/:part') return ['/operate/rejects', '/operate/imports', '/operate/intake']
  return [path.replace(':structureId', '101').replace(':stationIds', '1001')]
})

/** Sums up how far parts of the page jumped that no click or key has moved. */
const NOTE_SHIFTS = `
  window.shift = 0
  window.moved = new Set()
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      window.shift += value
      for (const { node } of sources) window.moved.add(node?.className || node?.nodeName || '')
    }
  }).observe({ type: 'layout-shift', buffered: true })
`
/** What Google's web vitals call good. */
const GOOD_SHIFT = 0.1

async function settle(page: Page): Promise<void> {
  await page.locator('main h1, main h2, main p').first().waitFor()
  await page.locator('main .skeleton').first().waitFor({ state: 'detached' })
}

for (const role of ['viewer', 'administrator'] as const)
  test(`every page opens for the ${role} in Chinese on a phone, and nothing jumps`, async () => {
    const console = getConsole()
    const page = await console.page({ role, language: 'zh', size: 'phone', address: '/account' })
    await settle(page)
    await page.evaluate(NOTE_SHIFTS)
    assert.ok(ADDRESSES.length > 12, ADDRESSES.join())
    const jumping: string[] = []

    for (const address of ADDRESSES) {
      await page.evaluate('window.shift = 0, window.moved.clear()')
      await page.evaluate(`location.hash = '#${address}'`)
      await page.waitForURL(`**/#${address}*`)
      await settle(page)
      await console.check(page)
      const shift = await page.evaluate<number>('window.shift')
      const moved = await page.evaluate<string[]>('[...window.moved]')
      if (shift > GOOD_SHIFT) jumping.push(`${address}: ${shift.toFixed(3)} ${moved.join(', ')}`)
    }

    assert.deepEqual(jumping, [])
  })
