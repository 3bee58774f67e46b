import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** Calls the service as the page does. */
export async function call<T>(page: Page, method: string, path: string, body?: object): Promise<T> {
  const init = {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const { status, text }: { status: number; text: string } = await page.evaluate(
    `fetch('${path}', ${JSON.stringify(body === undefined ? { method } : init)}).then(async (response) =>
      ({ status: response.status, text: await response.text() }))`,
  )
  assert.ok(status < 300, `${method} ${path}: ${text}`)
  return text === '' ? (undefined as T) : JSON.parse(text)
}

/** Station 2102 of the demo site has a threshold above 0, station 1001 gets some here. */
const BATCH = '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11'
const STRAIN = '/manage/v1/structures/101/factors/1/threshold/batches'

export async function setStrainThresholds(page: Page): Promise<void> {
  const thresholds = {
    batchNo: BATCH,
    stations: [1001],
    items: [
      {
        item: 'strain',
        config: [
          {
            thresholds: [
              { level: 1, value: '(300,+)' },
              { level: 2, value: '(200,300)' },
              { level: 3, value: '(100,200)' },
            ],
          },
        ],
      },
    ],
  }
  await call(page, 'POST', STRAIN, { thresholds })
}

export const removeStrainThresholds = (page: Page): Promise<void> =>
  call(page, 'DELETE', `${STRAIN}/${BATCH}`)

/** Stores a reading now, which raises, escalates or clears an alarm; returns the number of the change. */
export async function enterReading(
  page: Page,
  { station, values, minutesAgo = 0 }: { station: number; values: object; minutesAgo?: number },
): Promise<number> {
  const time = Math.floor(Date.now() / 1000 - minutesAgo * 60) * 1000
  const zone = station < 2000 ? 'Europe/Berlin' : 'America/Los_Angeles'
  const local = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    timeZone: zone,
  }).format(time)
  type Entered = { accepted: number; rejected: unknown[]; change: number }
  const { accepted, rejected, change } = await call<Entered>(
    page,
    'POST',
    `/manage/v1/stations/${station}/readings`,
    { records: [{ time: local, values }] },
  )
  assert.equal(accepted, 1, JSON.stringify(rejected))
  return change
}
