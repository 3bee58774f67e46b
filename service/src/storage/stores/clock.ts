import type { TrustedClock } from '../../domain/time/trusted-clock.ts'

/** Keeps the state of the trusted clock, so that a jump of the clock is noticed after a restart. */
export interface ClockStore {
  /** The state and the version of its last write; undefined where none was written. */
  read(): Promise<{ state: TrustedClock; version: number } | undefined>

  /** Replaces the state of a version, 0 for none; false where the version is another one. */
  write(state: TrustedClock, version: number): Promise<boolean>
}
