import type { RecordCommits } from '../commit/record-commits.ts'
import type { StationDerivation } from '../derivation/station-derivation.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'

/** The parts of the service through which values are read and marked. */
export type MarkingDependencies = Readonly<{
  catalogue: CurrentCatalogue
  storage: Pick<Storage, 'records'>
  commits: Pick<RecordCommits, 'records' | 'places'>
  derivation: Pick<StationDerivation, 'update'>
}>
