import {
  coversTarget,
  type KeyTargets,
  type RecordTarget,
} from '../../domain/access/key-targets.ts'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import type { Arrival } from './read-time.ts'
import type { Rejection } from './report.ts'

/** What the records of a batch are read with. */
export type BatchContext = {
  catalogue: Catalogue
  arrival: Arrival
  /** What the sender may write to; undefined: everything. */
  targets: KeyTargets | undefined
}

/** Rejects a record of a target that its sender may not write to; `name` is that of the target. */
export const rejectForeign = (
  { targets }: Pick<BatchContext, 'targets'>,
  target: RecordTarget,
  name: string,
): Rejection | undefined =>
  coversTarget(targets, target)
    ? undefined
    : { rejection: `the ingest key may not write to ${name}` }
