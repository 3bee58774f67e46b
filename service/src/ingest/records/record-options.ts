import type { UnitOfWork } from '../../commit/unit-of-work.ts'

/** The change that records belong to, how far their file has been read, and what they replace. */
export type RecordOptions = Pick<UnitOfWork, 'change' | 'position'> & {
  /** `whole`: a record replaces a stored one. Otherwise values that it does not name stay as stored. */
  replace?: 'whole' | undefined
}
