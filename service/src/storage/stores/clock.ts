import type { TrustedClock } from '../../domain/time/trusted-clock.ts'

/** How the machine's clock has gone while the service ran, so that a jump is noticed after a restart. */
export interface ClockStore {
  /** The state of the clock and the number of its last write; undefined where none was written. */
  read(): Promise<{ state: TrustedClock; version: number } | undefined>

  /** Writes a state in the place of the one with a number, 0 for none; false where another came first. */
  write(state: TrustedClock, version: number): Promise<boolean>
}
