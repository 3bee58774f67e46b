import assert from 'node:assert/strict'
import type { UncheckedSettings } from '../../src/config/config.ts'
import { eventually } from '../_eventually.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

export const START = Date.UTC(2026, 2, 1)
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** A service whose clock is held, and what is sent to it and read from it. */
export class Held implements AsyncDisposable {
  readonly service: TestService
  readonly clock: { now: number }
  readonly key: string
  token: string

  constructor(service: TestService, clock: { now: number }, key: string, token: string) {
    this.service = service
    this.clock = clock
    this.key = key
    this.token = token
  }

  /** Sends a value of station 1001 at a time after the start. */
  async sendTheme(...records: [after: number, strain: number][]): Promise<void> {
    await this.send('theme', {
      records: records.map(([after, strain]) => {
        return { station: 1001, time: START + after, values: { strain } }
      }),
    })
  }

  /** Sends what must be accepted. */
  async send(way: string, body: object): Promise<void> {
    const response = await this.service.ingest(way, this.key, body)
    assert.deepEqual(response.json().rejected, [], response.text)
  }

  get(path: string): Promise<HttpResponse> {
    return this.service.get(path, this.token)
  }

  /** The strains of the first station of a response. */
  values(response: HttpResponse): number[] {
    return response.json().stations[0].data.map(({ strain }: { strain: number }) => strain)
  }

  /** State, begin and end of each alarm of station 1001, in the order in which they came. */
  async alarms(source = '1001'): Promise<unknown[][]> {
    const response = await this.service.post('/users/1/alarms?orderBy=startTime', this.token)
    return response
      .json()
      .alarms.flatMap(({ alarms }: any) => alarms)
      .filter((one: any) => one.source.id === source)
      .toSorted((a: any, b: any) => a.id - b.id)
      .map(({ state, startTime, endTime }: any) => [state, startTime, endTime])
  }

  async alarmsBecome(expected: unknown[][], source?: string): Promise<void> {
    await eventually(async () => assert.deepEqual(await this.alarms(source), expected))
  }

  async waitUntilEvaluated(): Promise<void> {
    await eventually(async () => {
      const horizon = this.clock.now + 300_000
      assert.deepEqual(await this.service.storage.earlyRecords.listDue(horizon, 1), [])
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.service[Symbol.asyncDispose]()
  }
}

export async function withClock(
  settings: UncheckedSettings = {},
  { site = SITE, folder, now = START }: { site?: string; folder?: string; now?: number } = {},
): Promise<Held> {
  const clock = { now }
  const service = await withService({
    site,
    now: () => clock.now,
    settings: { 'alarms.offlineCheckSeconds': 0, ...settings },
    earlyRecordsMilliseconds: 20,
    ...(folder === undefined ? {} : { folder }),
  })
  const key = `plk_test_held`
  if (folder === undefined || now === START) await service.createKey('held').catch(() => undefined)
  return new Held(service, clock, key, await service.issueToken())
}
