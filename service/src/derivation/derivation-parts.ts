import type { RecordCommits } from '../commit/record-commits.ts'
import type { UnitOfWork } from '../commit/unit-of-work.ts'
import type { RecordStore } from '../storage/storage.ts'

/** The parts with which derived records are read and committed. */
export type DerivationParts = {
  data: Pick<RecordStore, 'readLists' | 'readMarks' | 'readRawRevisions'>
  commits: Pick<RecordCommits, 'records'>
}

/** The change that derived records belong to. */
export type ChangeOption = Pick<UnitOfWork, 'change'>
