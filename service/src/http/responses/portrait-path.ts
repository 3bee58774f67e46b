import type { StoredPicture } from '../../storage/storage.ts'

/** The path of the portrait picture of a structure, which differs for another picture. */
export const portraitPath = (
  structure: number,
  { type, hash }: Pick<StoredPicture, 'type' | 'hash'>,
): string => `/files/portraits/${structure}-${hash}.${EXTENSIONS[type]}`

const EXTENSIONS = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' } as const
