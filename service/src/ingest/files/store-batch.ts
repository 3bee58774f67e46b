import type { IngestReport } from '@plumbline/contract'
import type { RefusalStore, PositionStore, VibrationWrite } from '../../storage/storage.ts'
import type { Door, IngestOptions } from '../door.ts'
import type { RowBatch } from '../formats/records.ts'
import type { Line } from '../formats/lines.ts'
import { ingestRaw } from '../raw.ts'
import { ingestTheme } from '../theme.ts'

/** A line of which something could not be stored. */
export type RefusedLine = { line: Line; reason: string }

export type Stored = { accepted: number; replaced: number; refused: RefusedLine[] }

/** Sends the records of some rows through the door. */
export async function storeRecords(
  door: Door,
  batch: RowBatch,
  { change, position }: IngestOptions,
): Promise<Stored> {
  const stored: Stored = { accepted: 0, replaced: 0, refused: [] }
  const hasTheme = batch.theme.length > 0
  if (batch.raw.length > 0) {
    // The position goes with the records that are written last.
    const options = hasTheme ? { change } : { change, position }
    gather(stored, await ingestRaw(door, batch.raw, options), batch.rawLines)
  }
  if (hasTheme)
    gather(stored, await ingestTheme(door, batch.theme, { change, position }), batch.themeLines)
  return stored
}

function gather(
  stored: Stored,
  { accepted, replaced, rejected }: IngestReport,
  lines: Line[],
): void {
  stored.accepted += accepted
  stored.replaced += replaced
  for (const { index, message } of rejected)
    stored.refused.push({ line: lines[index]!, reason: message })
}

export type RefusalsOf = { refusals: RefusalStore; origin: string; keep: number; now(): number }

/** Keeps refused lines, each once, with all that is wrong with it. */
export async function keepRefused(
  refused: readonly RefusedLine[],
  { refusals, origin, keep, now }: RefusalsOf,
): Promise<void> {
  if (refused.length === 0) return
  const receivedAt = now()
  const byLine = Map.groupBy(refused, ({ line }) => line)
  await refusals.add(
    Array.from(byLine, ([line, of]) => ({
      origin,
      place: `line ${line.number}`,
      reason: of.map(({ reason }) => reason).join('; '),
      payload: Buffer.from(line.text),
      receivedAt,
    })),
    keep,
  )
}

/** The door with nothing behind it: says what would be stored, and stores nothing. */
export function dryDoor(door: Door): Door {
  const nothing = { replaced: 0 }
  const data = {
    ...door.storage.data,
    write: () => Promise.resolve({ theme: nothing, raw: nothing }),
  }
  const vibration = {
    ...door.storage.vibration,
    writeAll: (writes: readonly VibrationWrite[]) =>
      Promise.resolve(writes.map(() => ({ ...nothing, collectTime: 0 }))),
  }
  return { ...door, storage: { ...door.storage, data, vibration } }
}

export type Positioned = {
  positions: PositionStore
  name: string
  text: string
} & RefusalsOf

/**
 * Stores a batch of a file that is read on later: records and position in one transaction.
 *
 * Refused lines are kept before that, since afterwards they would not be read again; a crash in
 * between keeps them twice.
 */
export async function storeAndMark(
  door: Door,
  batch: RowBatch,
  { positions, name, text, ...keeping }: Positioned,
): Promise<Stored> {
  const foreseen = await storeRecords(dryDoor(door), batch, {})
  const refused = [...batch.refused, ...foreseen.refused]
  await keepRefused(refused, keeping)
  const stored = await storeRecords(door, batch, { position: { name, text } })
  if (stored.accepted === 0) await positions.set(name, text)
  const known = new Set(foreseen.refused.map(({ line }) => line))
  const late = stored.refused.filter(({ line }) => !known.has(line))
  await keepRefused(late, keeping)
  return { ...stored, refused: [...refused, ...late] }
}
