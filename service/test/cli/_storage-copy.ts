import assert from 'node:assert/strict'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Workplace } from './_cli.ts'
import { dataOf, fillFolder, START } from './_full-site.ts'

export const DAY = 86_400_000

export const fillPlace = (place: Workplace): Promise<void> => fillFolder(dataOf(place.folder))

export const words = (text: string): string[] => text.split(' ')

export const copyArgs = (from: string, to: string, ...more: string[]): string[] => [
  'storage',
  'copy',
  '--from',
  from,
  '--to',
  to,
  ...more,
]

/** Copies to the end. */
export async function copy(
  place: Workplace,
  from: string,
  to: string,
): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await place.run(copyArgs(from, to, '--json'))
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

export const openUrl = (url: string): Promise<Storage> =>
  openPostgres(url, { poolSize: 4, statementTimeoutSeconds: 30 })

/** The records of all stations and sensors, as a command exports them. */
export async function exported(place: Workplace, ...storage: string[]): Promise<string> {
  const from = new Date(START - DAY).toISOString().slice(0, 10)
  const range = ['--from', from, '--to', '2099-01-01', '--format', 'csv', '--output', '-']
  const { code, stdout, stderr } = await place.run([
    'export',
    '--structure',
    '1',
    ...range,
    ...storage,
  ])
  assert.equal(code, 0, stderr)
  assert.ok(stdout.length > 1000)
  return stdout
}
