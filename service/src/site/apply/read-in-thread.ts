import { TaskThread } from '../../threads/task-thread.ts'
import { YamlFileError, type FileProblem } from '../../yaml/yaml-file-error.ts'
import { readWantedEntries, type ReadWanted, type WantedEntries } from './read-wanted-entries.ts'

/** Shorter files are read in less time than a thread takes to start. */
const LONG_TEXT = 64 * 1024

export type ReadOutcome = { wanted: WantedEntries } | { problems: readonly FileProblem[] }
type ReadTasks = { read: (...given: Parameters<typeof readWantedEntries>) => ReadOutcome }

/**
 * Reads and checks a site file as `readWantedEntries` does; a long one in a thread that ends with it, so
 * that requests go on meanwhile.
 */
export const readInThread: ReadWanted = async (file, stored, options) => {
  if (file.text.length < LONG_TEXT) return readWantedEntries(file, stored, options)
  await using thread = new TaskThread<ReadTasks>(
    new URL('./read-worker.ts', import.meta.url),
    'site file',
  )
  const outcome = await thread.run({ name: 'read', given: [file, stored, options] }, [])
  if ('problems' in outcome) throw new YamlFileError(file.fileName, outcome.problems)
  return outcome.wanted
}
