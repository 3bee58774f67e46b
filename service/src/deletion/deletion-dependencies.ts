import type { RecordCommits } from '../commit/record-commits.ts'
import type { StationDerivation } from '../derivation/station-derivation.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'

/** The parts of the service through which a deletion reads and writes. */
export type DeletionDependencies = Readonly<{
  catalogue: CurrentCatalogue
  storage: Pick<Storage, 'records' | 'waveforms' | 'traffic'>
  commits: Pick<RecordCommits, 'records'>
  derivation: Pick<StationDerivation, 'update'>
}>
