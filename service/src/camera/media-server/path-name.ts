import type { Grant } from '../grants/grant-text.ts'

/** A camera and the quality in which it plays. */
export type CameraQuality = Readonly<Pick<Grant, 'camera' | 'quality'>>

/** The name of a stream on a media server, such as `12-h`. */
export const formatPathName = ({ camera, quality }: CameraQuality): string => `${camera}-${quality}`

/** Reads the name of a stream; undefined for one that `formatPathName` does not write. */
export function parsePathName(name: string): CameraQuality | undefined {
  const [, digits, quality] = /^(0|[1-9]\d{0,15})-([hd])$/.exec(name) ?? []
  const camera = Number(digits)
  if (!Number.isSafeInteger(camera)) return undefined
  return { camera, quality: quality === 'h' ? 'h' : 'd' }
}
