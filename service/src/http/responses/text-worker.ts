import { writePoints, type PointScale } from '../../domain/vibration/point-text.ts'
import { release } from '../../concurrency/release-memory.ts'
import { runTasks } from '../../threads/run-tasks.ts'

runTasks({ write }, (text) => [text.buffer])

function write(values: Float64Array, first: number, scale: PointScale): Uint8Array<ArrayBuffer> {
  const text = writePoints(values, first, scale)
  release(values)
  return text
}
