import type { CameraEntry } from '../../domain/site/site-entry.ts'
import type { Quality } from '../grants/grant-text.ts'

/** What is played of a camera: a source, at its own height or reduced to another. */
export type Rendition = Readonly<{ source: string; height?: number }>

/** The rendition of a quality; without a standard one `d` is the same as `h`. */
export function renditionOf(
  { source, standard }: Pick<CameraEntry, 'source' | 'standard'>,
  quality: Quality,
): Rendition {
  return quality === 'h' ? { source } : { source, ...standard }
}

/** Equal renditions of a camera share a stream. */
export const keyOf = ({ id }: Pick<CameraEntry, 'id'>, { source, height }: Rendition): string =>
  JSON.stringify([id, source, height])
