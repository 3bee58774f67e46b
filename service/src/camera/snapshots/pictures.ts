import type { CameraEntry } from '../../domain/site/site-entry.ts'

/** A JPEG and the instant at which it was taken. */
export type TakenPicture = { jpeg: Uint8Array; takenAt: number }

/** Requests within this time after a picture share it. */
const SHARED_MILLISECONDS = 1_000

type PicturesOptions = {
  /** Takes a new picture; throws a `RefusedError` with the reason where the camera gives none. */
  take(camera: CameraEntry): Promise<Uint8Array>
  now(): number
}

type Taking = { picture: Promise<TakenPicture>; source: string; until: number }

/** Takes pictures of cameras, one at a time of each: requests meanwhile and shortly after share it. */
export class Pictures {
  readonly #options: PicturesOptions
  readonly #taking = new Map<number, Taking>()

  constructor(options: PicturesOptions) {
    this.#options = options
  }

  /** Takes a picture of a camera, or shares one that is at most a second old. */
  take(camera: CameraEntry): Promise<TakenPicture> {
    const { take, now } = this.#options
    const known = this.#taking.get(camera.id)
    if (known !== undefined && known.source === camera.source && now() <= known.until)
      return known.picture
    const picture = take(camera).then((jpeg) => ({ jpeg, takenAt: now() }))
    const taking: Taking = { picture, source: camera.source, until: Infinity }
    this.#taking.set(camera.id, taking)
    picture.then(
      () => (taking.until = now() + SHARED_MILLISECONDS),
      () => (taking.until = -Infinity),
    )
    return picture
  }
}
