import { runTasks } from '../../threads/run-tasks.ts'
import { YamlFileError } from '../../yaml/yaml-file-error.ts'
import type { ReadOutcome } from './read-in-thread.ts'
import { readWantedEntries } from './read-wanted-entries.ts'

runTasks({ read }, () => [])

/** An error reaches the other thread as its sentence only: the problems of a file are a result. */
function read(...given: Parameters<typeof readWantedEntries>): ReadOutcome {
  try {
    return { wanted: readWantedEntries(...given) }
  } catch (error) {
    if (!(error instanceof YamlFileError)) throw error
    return { problems: error.problems }
  }
}
