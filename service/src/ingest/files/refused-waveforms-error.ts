import { RefusedError } from '../../errors/refused-error.ts'

/** A file of waveforms is refused whole. */
export class RefusedWaveformsError extends RefusedError {
  constructor(message: string, options?: ErrorOptions) {
    super('invalid', message, options)
  }
}
