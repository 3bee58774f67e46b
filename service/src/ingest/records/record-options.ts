import type { Replacement } from '@plumbline/contract'
import type { UnitOfWork } from '../../commit/unit-of-work.ts'

/** The change that records belong to, how far their file has been read, and what they replace. */
export type RecordOptions = Pick<UnitOfWork, 'change' | 'position'> & {
  /** Whether a record replaces a stored one whole, or by its keys: values that it does not name stay. */
  replace?: Replacement | undefined
}
