/** A segment as a playlist names it. */
export type ListedSegment = {
  readonly name: string
  readonly seconds: number
  readonly isDiscontinuity: boolean
}

export type Playlist = {
  /** The number of the first segment. */
  readonly mediaSequence: number
  /** How many discontinuities were before the first segment. */
  readonly discontinuitySequence: number
  readonly targetSeconds: number
  readonly segments: readonly ListedSegment[]
}

/**
 * A live media playlist of version 3 (RFC 8216).
 *
 * It never promises independent segments: a camera with rare keyframes breaks that at any time.
 */
export function formatPlaylist(playlist: Playlist): string {
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:3',
    `#EXT-X-TARGETDURATION:${playlist.targetSeconds}`,
    `#EXT-X-MEDIA-SEQUENCE:${playlist.mediaSequence}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${playlist.discontinuitySequence}`,
  ]
  for (const { name, seconds, isDiscontinuity } of playlist.segments) {
    if (isDiscontinuity) lines.push('#EXT-X-DISCONTINUITY')
    lines.push(`#EXTINF:${seconds.toFixed(3)},`, name)
  }
  return `${lines.join('\n')}\n`
}
