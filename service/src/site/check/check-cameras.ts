import { isMaskedSource, unmaskSource } from '../apply/mask-source.ts'
import { each, type StructurePart } from '../file/file-parts.ts'
import type { ValuePath } from '../../schemas/value-path.ts'
import type { ProblemList } from '../../yaml/problem-list.ts'

/** Checks that a masked address of a camera is that of a stored one. */
export function checkCameras(
  structure: StructurePart,
  path: ValuePath,
  stored: ReadonlyMap<number, string>,
  problems: ProblemList,
): void {
  for (const [{ id, source }, place] of each(structure.cameras, ...path, 'cameras')) {
    const known = stored.get(id)
    if (!isMaskedSource(source) || known === source) continue
    if (unmaskSource(source, known) !== source) continue
    const what = known === undefined ? 'no address' : 'another address'
    problems.add(
      [...place, 'source'],
      `the address is masked, and ${what} of camera ${id} is stored`,
    )
  }
}
