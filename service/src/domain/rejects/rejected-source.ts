import { dirname } from 'node:path'

const FILE = 'file '
const MEMBER = ' > '

/** What rejected records are bounded by together: a way in, or the folder in which files lie. */
export function rejectedSource(origin: string): string {
  if (!origin.startsWith(FILE)) return origin
  const [file = ''] = origin.slice(FILE.length).split(MEMBER, 1)
  return `${FILE}${dirname(file)}`
}
