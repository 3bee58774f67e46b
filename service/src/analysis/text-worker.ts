import { writePoints } from '../domain/vibration/point-text.ts'
import { answerTasks } from './answer-tasks.ts'

answerTasks({ write: writePoints }, (text) => [text.buffer])
