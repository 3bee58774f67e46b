import { setImmediate } from 'node:timers/promises'
import type { Catalogue } from '../domain/catalogue.ts'
import { retentionCutoff, type Retained } from '../domain/retention-term.ts'
import type { Storage } from '../storage/storage.ts'
import { restAfter } from './rest.ts'
import { structuresOf } from './sources.ts'

/** About so many records go in one write: whoever writes meanwhile hardly waits. */
const LIMITS = { theme: 5_000, raw: 5_000, vibration: 16, traffic: 5_000 } as const
const KINDS = Object.keys(LIMITS) as Retained[]

export type RetentionOptions = {
  storage: Pick<Storage, 'retention'>
  catalogue: Catalogue
  now: number
  /** Only the records of one structure. */
  structure?: number | undefined
  /** The part of the time that it takes, up to 1. */
  share?: number
  signal?: AbortSignal
}

/** How many records of a structure are past their term. */
export type PastTerm = { structure: number } & Record<Retained, number>

/**
 * Forgets every record that is past the term its structure keeps it for.
 *
 * Gives the structures of which something went. It can be stopped at any time, and begun again.
 */
export async function forgetPast(options: RetentionOptions): Promise<PastTerm[]> {
  const { storage, share = 1, signal } = options
  const counts = new Map<number, PastTerm>()
  for (const { structure, ...what } of expiring(options)) {
    // Mostly there is nothing to wait for.
    await setImmediate()
    let isDone = false
    while (!isDone) {
      if (signal?.aborted === true) return [...counts.values()]
      const began = performance.now()
      const step = await storage.retention.forget({ ...what, limit: LIMITS[what.kind] })
      isDone = step.isDone
      count(counts, structure, what.kind, step.records)
      await restAfter(began, share, signal)
    }
  }
  return [...counts.values()]
}

/** Counts what `forgetPast` would forget. */
export async function countPast(options: RetentionOptions): Promise<PastTerm[]> {
  const counts = new Map<number, PastTerm>()
  for (const { structure, ...what } of expiring(options))
    count(counts, structure, what.kind, await options.storage.retention.count(what))
  return [...counts.values()]
}

/** The sources whose records are kept for a term, and the instant it reaches back to. */
function* expiring({ catalogue, structure, now }: RetentionOptions) {
  for (const kind of KINDS)
    for (const [source, { entry, zone }] of structuresOf(catalogue, kind)) {
      const term = entry.retention?.[kind]
      if (term === undefined) continue
      if (structure !== undefined && entry.id !== structure) continue
      yield { kind, source, structure: entry.id, before: retentionCutoff(term, now, zone) }
    }
}

function count(counts: Map<number, PastTerm>, structure: number, kind: Retained, records: number) {
  if (records === 0) return
  const none = { structure, theme: 0, raw: 0, vibration: 0, traffic: 0 }
  counts.getOrInsertComputed(structure, () => none)[kind] += records
}
