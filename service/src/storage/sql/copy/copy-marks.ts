import { randomInt } from 'node:crypto'
import { RefusedError } from '../../../errors/refused-error.ts'
import { OWN_KEYS } from './copied-tables.ts'
import type { CopySide } from './copy-side.ts'

/** Tables of which one has rows in every storage that was used. */
const USED = [
  'site_entries',
  'applications',
  'ingest_keys',
  'theme_records',
  'raw_records',
  'theme_sealed_parts',
  'raw_sealed_parts',
  'traffic_records',
  'waveforms',
  'alarms',
  'changes',
  'rejects',
]

/**
 * Makes a storage the target of a copy from another one, or finds that it is; returns whether it was.
 * Refuses one that has other data. With `isDry` nothing is noted.
 */
export async function claimTarget(
  from: CopySide,
  to: CopySide,
  { isDry }: { isDry: boolean },
): Promise<{ isContinued: boolean }> {
  const source = (await readMark(from, 'id')) ?? (isDry ? undefined : await noteId(from))
  if (source !== undefined && (await readMark(to, 'id')) === source)
    throw new RefusedError('invalid', 'The source and the target are the same storage.')
  const copied = await readMark(to, 'copiedFrom')
  if (copied !== undefined && copied !== source)
    throw new RefusedError(
      'invalid',
      'The target has an unfinished copy of another storage. Name that one with --from, or choose an empty target.',
    )
  if (copied !== undefined) return { isContinued: true }
  for (const table of USED)
    if ((await to.rows(`select 1 from ${table} limit 1`)).length > 0)
      throw new RefusedError(
        'invalid',
        `The target has data already, in the table ${table}. A copy needs an empty target, or one that an earlier copy from the same storage did not finish.`,
      )
  if (source !== undefined && !isDry) await writeMark(to, 'copiedFrom', source)
  return { isContinued: false }
}

/**
 * Ends the copy: from now on the target is a storage like any other, and the source is one that was
 * copied.
 */
export async function releaseTarget(from: CopySide, to: CopySide, now: number): Promise<void> {
  // Marked before: a service of the source that starts after a failure here says so once too often.
  await forgetMark(from, 'copiedAt')
  await writeMark(from, 'copiedAt', now)
  await forgetMark(to, 'copiedFrom')
}

/** Whether a storage has a part of the data of another one, as a sentence. */
export async function describeUnfinished(storage: CopySide): Promise<string | undefined> {
  if ((await readMark(storage, 'copiedFrom')) === undefined) return undefined
  return 'The storage is the target of a copy that is not finished. Run "plumbline storage copy" with the same --from and --to again.'
}

/** Refuses a storage that has a part of the data of another one. */
export async function requireWhole(storage: CopySide): Promise<void> {
  const sentence = await describeUnfinished(storage)
  if (sentence !== undefined) throw new RefusedError('unavailable', sentence)
}

/** Whether all of a storage was copied to another one, as a sentence. */
export async function describeCopied(storage: CopySide): Promise<string | undefined> {
  const at = await readMark(storage, 'copiedAt')
  if (at === undefined) return undefined
  const time = new Date(at).toISOString().replace('T', ' ').slice(0, 16)
  return `This storage was copied to another one at ${time} UTC. What is stored here since then is not in that one. Unless you want to go on with this storage, stop the service and name the other one in storage.url or --data.`
}

async function readMark(side: CopySide, mark: keyof typeof OWN_KEYS): Promise<number | undefined> {
  const sql = 'select value from meta where key = ?'
  return (await side.rows<[number]>(sql, OWN_KEYS[mark]))[0]?.[0]
}

const writeMark = (side: CopySide, mark: keyof typeof OWN_KEYS, value: number): Promise<void> =>
  side.write([
    {
      sql: 'insert into meta (key, value) values (?, ?) on conflict (key) do nothing',
      width: 2,
      values: [OWN_KEYS[mark], value],
    },
  ])

async function forgetMark(side: CopySide, mark: keyof typeof OWN_KEYS): Promise<void> {
  const sql = 'delete from meta where key = ?'
  await side.write([{ sql, width: 1, values: [OWN_KEYS[mark]] }])
}

/** A number by which a storage is known again. */
async function noteId(side: CopySide): Promise<number> {
  await writeMark(side, 'id', randomInt(1, 2 ** 47))
  const id = await readMark(side, 'id')
  if (id === undefined) throw new Error('the storage has no id')
  return id
}
