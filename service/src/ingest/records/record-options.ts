import type { UnitOfWork } from '../../commit/unit-of-work.ts'

/** The change that records belong to, and how far their file has been read. */
export type RecordOptions = Pick<UnitOfWork, 'change' | 'position'>
