import { crc32 } from 'node:zlib'
import { DamageError } from '../../../errors/damage-error.ts'
import { checkPart, type SealedPart } from '../../sealed-days/sealed-part.ts'
import type { RecordKind } from '../../stores/records.ts'
import { withLocation, type OpenRows } from '../sealed-days/sealed-parts.ts'
import type { CopySide } from './copy-side.ts'

/** How many rows belong to something, and the CRC-32 of all of them in order. */
export type Sum = { count: number; crc: number }

/** The sum of the records of a source, or why it cannot be known. */
export type RecordSum = Sum & Damage

/** What is damaged, as a sentence. */
export type Damage = { damage?: string }

/**
 * The records of a source, open and sealed. The compressed bytes of sealed ones are checked and not
 * opened: the same bytes are the same records.
 */
export async function sumRecords(
  side: Pick<CopySide, 'readOpenLists' | 'readParts'>,
  { kind, source }: { kind: RecordKind; source: number },
  signal: AbortSignal,
): Promise<RecordSum> {
  let [count, crc] = [0, 0]
  try {
    for await (const list of side.readOpenLists(kind, source)) {
      signal.throwIfAborted()
      count += list.texts.length
      crc = addList(crc, list)
    }
    for await (const part of side.readParts(kind, source)) {
      signal.throwIfAborted()
      withLocation({ kind, source }, part, () => checkPart(part))
      count += part.count
      crc = addPart(crc, part)
    }
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    return { count, crc, damage: error.message }
  }
  return { count, crc }
}

const NOTHING = new Uint8Array()

/** A CRC for each record would take several times as long as one for all of them. */
function addList(crc: number, { times, texts, text }: OpenRows): number {
  const numbers = Float64Array.from(texts.flatMap(({ length }, at) => [Number(times[at]), length]))
  return crc32(text ?? NOTHING, crc32(new Uint8Array(numbers.buffer), crc))
}

const addPart = (crc: number, { boundsCrc, headerCrc, deflatedCrc }: SealedPart): number =>
  crc32(`${boundsCrc} ${headerCrc} ${deflatedCrc} `, crc)
