import assert from 'node:assert/strict'
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt'
import { inDatabase } from '../_sealed.ts'
import { SENSORS } from './_site.ts'

/** The instant of the first message; each has one of its own, a second apart. */
export const START = Date.UTC(2025, 5, 1)

/** A client that publishes. */
export class Publisher implements AsyncDisposable {
  readonly #client: MqttClient

  private constructor(client: MqttClient) {
    this.#client = client
  }

  static async connect(url: string, options: IClientOptions = {}): Promise<Publisher> {
    return new Publisher(await connectAsync(url, { reconnectPeriod: 50, ...options }))
  }

  /** Publishes with QoS 1; resolves when the broker has acknowledged. */
  async publish(topic: string, payload: string | Buffer, retain = false): Promise<void> {
    await this.#client.publishAsync(topic, payload, { qos: 1, retain })
  }

  /** Publishes one value for each of the given numbers. */
  async publishRecords(numbers: Iterable<number>): Promise<void> {
    await Promise.all(
      Array.from(numbers, (number) => this.publish(`site/${SENSORS.single}/up`, payload(number))),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.endAsync(true)
  }
}

/** What `publishRecords` sends. */
export const payload = (number: number): string =>
  JSON.stringify({ ts: START + number * 1000, values: { a: number } })

export const range = (from: number, until: number): number[] =>
  Array.from({ length: until - from }, (_, at) => from + at)

/** The values of item `a` that are stored of all sensors, ascending. */
export const storedNumbers = (folder: string): number[] =>
  inDatabase(folder, (database) =>
    database
      .prepare<[], { record: string | Buffer }>('select record from raw_records')
      .all()
      .map(({ record }) => Number(JSON.parse(record.toString()).a))
      .toSorted((one, other) => one - other),
  )

/** Every one of these records is stored, and each once. */
export function requireStored(folder: string, numbers: readonly number[]): void {
  const stored = storedNumbers(folder)
  const known = new Set(stored)
  const missing = numbers.filter((number) => !known.has(number)).length
  assert.deepEqual({ missing, count: stored.length }, { missing: 0, count: numbers.length })
}
