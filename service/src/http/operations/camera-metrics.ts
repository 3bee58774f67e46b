import type { Metric } from 'prom-client'
import type { CamerasState } from '../../camera/cameras.ts'

const STATES = ['starting', 'running', 'waiting'] as const

/** Metrics of the streams of cameras. */
export async function cameraMetrics(read: () => Promise<CamerasState>): Promise<Metric[]> {
  const { Gauge } = await import('prom-client')
  return [
    new Gauge({
      name: 'plumbline_camera_streams',
      help: 'Streams of cameras that start, run, or wait for the next attempt.',
      labelNames: ['state'],
      registers: [],
      async collect() {
        const { streams } = await read()
        for (const state of STATES)
          this.set({ state }, streams.filter((stream) => stream.state === state).length)
      },
    }),
    new Gauge({
      name: 'plumbline_camera_segment_bytes',
      help: 'Bytes of the segments of streams in memory.',
      registers: [],
      async collect() {
        const { streams } = await read()
        this.set(streams.reduce((sum, { bytes }) => sum + bytes, 0))
      },
    }),
  ]
}
