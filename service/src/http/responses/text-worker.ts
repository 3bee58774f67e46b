import { writePoints, type PointScale } from '../../domain/vibration/point-text.ts'
import { release } from '../../concurrency/release-memory.ts'
import { runTasks } from '../../threads/answer-tasks.ts'

runTasks({ write }, (text) => [text.buffer])

function write(values: Float64Array, first: number, places: PointScale): Uint8Array<ArrayBuffer> {
  const text = writePoints(values, first, places)
  release(values)
  return text
}
