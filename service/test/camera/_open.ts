import { tmpdir } from 'node:os'
import { sourceOpener, type SourceOptions } from '../../src/camera/source/open-source.ts'
import type { OpenedSource } from '../../src/camera/source/opened-source.ts'

/** Opens a source with cameras of this machine allowed. */
export const openSource = (
  source: string,
  options: Partial<SourceOptions> = {},
  signal = new AbortController().signal,
): Promise<OpenedSource> =>
  sourceOpener({
    folder: tmpdir(),
    hosts: ['127.0.0.0/8'],
    stallSeconds: 10,
    maxMegabits: 30,
    ...options,
  })(source, signal)
