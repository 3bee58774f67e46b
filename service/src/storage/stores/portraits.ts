export type PictureType = 'image/jpeg' | 'image/png' | 'image/webp'

export type StoredPicture = { type: PictureType; hash: string; picture: Uint8Array }

export type StoredPosition = { station: number; x: number; y: number }

/** The portrait pictures of structures, and where stations are on them. */
export interface PortraitStore {
  /** Sets the picture of a structure. */
  put(structure: number, picture: StoredPicture): Promise<void>

  /** Deletes the picture of a structure, if it has one. */
  remove(structure: number): Promise<void>

  /** What the picture of a structure is, without its bytes. */
  find(structure: number): Promise<Omit<StoredPicture, 'picture'> | undefined>

  /** The picture of a structure with a hash. */
  load(structure: number, hash: string): Promise<StoredPicture | undefined>

  /** Replaces all positions of a structure. */
  setPositions(structure: number, positions: readonly StoredPosition[]): Promise<void>

  listPositions(structure: number): Promise<StoredPosition[]>
}
