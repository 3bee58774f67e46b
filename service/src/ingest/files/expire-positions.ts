import { setImmediate } from 'node:timers/promises'
import type { PositionStore } from '../../storage/storage.ts'
import { formatPosition, parsePosition, type FilePosition } from './file-position.ts'

/** The names of the positions of a folder's present files, and the prefix of all of its positions. */
export type PresentFiles = { prefix: string; names: ReadonlySet<string> | undefined }

const POSITIONS_AT_ONCE = 500

/**
 * Deletes the positions of files that have been absent for longer than `keepMilliseconds`, also in
 * folders that are no longer watched; returns how many.
 *
 * The positions of a folder that cannot be read stay.
 */
export async function expirePositions(
  positions: PositionStore,
  folders: readonly PresentFiles[],
  { now, keepMilliseconds }: { now: number; keepMilliseconds: number },
): Promise<number> {
  let deleted = 0
  let after = ''
  for (;;) {
    const page = await positions.list(after, POSITIONS_AT_ONCE)
    for (const { name, position: text } of page) {
      const folder = folders.find(({ prefix }) => name.startsWith(prefix))
      if (folder !== undefined && folder.names === undefined) continue
      const position = parsePosition(text)
      const isPresent = folder?.names?.has(name) === true
      if (isPresent) {
        if (position?.goneSince === undefined) continue
        const { goneSince: _, ...found } = position
        await positions.set(name, formatPosition(found))
      } else if (position === undefined || isExpired(position, now, keepMilliseconds)) {
        await positions.remove(name, text)
        deleted++
      }
      // After the clock was set back the term begins again.
      else if (position.goneSince === undefined || position.goneSince > now)
        await positions.set(name, formatPosition({ ...position, goneSince: now }))
    }
    const last = page.at(-1)
    if (last === undefined || page.length < POSITIONS_AT_ONCE) return deleted
    after = last.name
    await setImmediate()
  }
}

const isExpired = ({ goneSince }: FilePosition, now: number, keepMilliseconds: number): boolean =>
  now - (goneSince ?? now) >= keepMilliseconds
