import { runTasks } from '../../threads/run-tasks.ts'
import { memoryOf, type SamplePreparation } from './prepared-samples.ts'
import { WAVEFORM_TASKS } from './waveform-tasks.ts'

type Prepared = { prepared: readonly { preparation: SamplePreparation }[] }

runTasks<Prepared>(WAVEFORM_TASKS, ({ prepared }) =>
  prepared.flatMap(({ preparation }) => memoryOf(preparation)),
)
