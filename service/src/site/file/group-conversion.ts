import type { GroupConversion } from '../../domain/site/site-entry.ts'
import type { GroupConversionPart } from './file-parts.ts'

/** The conversion of a group with defaults. */
export function flattenGroupConversion(part: GroupConversionPart): GroupConversion {
  if (part.kind === 'settlement') {
    const { kind, item = 'settling', isBase = 'isBase' } = part
    return { kind, item, isBase }
  }
  const { kind, depth = 'depth', fixedEnd, sums } = part
  return { kind, depth, fixedEnd, sums: { ...sums } }
}
