import type { CameraEntry } from '../../domain/site/site-entry.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { CameraControl, type CameraControlOptions } from './camera-control.ts'

export type CameraControlsOptions = Omit<CameraControlOptions, 'camera'>

/** Controls the cameras of the site that can be moved. */
export class CameraControls implements AsyncDisposable {
  readonly #options: CameraControlsOptions
  readonly #controls = new Map<number, { key: string; control: CameraControl }>()

  constructor(options: CameraControlsOptions) {
    this.#options = options
  }

  /** The control of a camera; throws `invalid` for one that cannot be moved. */
  of(camera: CameraEntry): CameraControl {
    const { id, hasPTZ, channelNo, onvif } = camera
    if (!hasPTZ)
      throw new RefusedError(
        'invalid',
        `camera ${id} cannot be moved: it has no hasPTZ in the site file`,
      )
    if (onvif === undefined)
      throw new RefusedError(
        'invalid',
        `camera ${id} cannot be moved: it has no onvif in the site file`,
      )
    const key = `${channelNo} ${onvif}`
    const known = this.#controls.get(id)
    if (known?.key === key) return known.control
    // It stops a camera that moves, and does not fail.
    void known?.control[Symbol.asyncDispose]()
    const control = new CameraControl({ ...this.#options, camera })
    this.#controls.set(id, { key, control })
    return control
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const controls = Array.from(this.#controls.values(), ({ control }) => control)
    await Promise.all(controls.map((control) => control[Symbol.asyncDispose]()))
  }
}
