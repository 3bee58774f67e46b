import { runTasks } from '../../threads/answer-tasks.ts'
import { memoryOf } from './prepared-samples.ts'
import { WAVEFORM_TASKS } from './waveform-tasks.ts'

runTasks(WAVEFORM_TASKS, ({ prepared }) =>
  prepared.flatMap(({ preparation }) => memoryOf(preparation)),
)
