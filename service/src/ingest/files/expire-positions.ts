import { setImmediate } from 'node:timers/promises'
import type { PositionStore } from '../../storage/storage.ts'
import { formatPosition, parsePosition } from './watched-file.ts'

/** Which files of a folder are there, by the names of their positions, which begin alike. */
export type Present = { prefix: string; names: ReadonlySet<string> | undefined }

const POSITIONS_AT_ONCE = 500

/**
 * Deletes the positions of files that have been gone for long, also of folders that are no longer
 * watched; gives how many.
 *
 * Of a folder that cannot be read it is not known which files are there: its positions stay.
 */
export async function expirePositions(
  positions: PositionStore,
  folders: readonly Present[],
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
      // What is not of our writing is read by nobody.
      const isGone = folder?.names?.has(name) !== true
      const { goneSince, ...found } = position ?? {}
      if (!isGone && goneSince === undefined) continue
      if (position === undefined || (isGone && now - (goneSince ?? now) >= keepMilliseconds)) {
        await positions.remove(name, text)
        deleted++
      } else if (!isGone) await positions.set(name, formatPosition(found as typeof position))
      // A clock that was set back begins the term anew.
      else if (goneSince === undefined || goneSince > now)
        await positions.set(name, formatPosition({ ...position, goneSince: now }))
    }
    if (page.length < POSITIONS_AT_ONCE) return deleted
    after = page.at(-1)!.name
    await setImmediate()
  }
}
